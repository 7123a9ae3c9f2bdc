
# case: what a distribution is made of
import torch
from torch import nn
from torch.distributions import Categorical, Normal

net = nn.Linear(3, 4)
out = net(torch.randn(5, 3))
policy = Categorical(logits=out)
values = torch.arange(4).float()
print((policy.probs * values).sum().item(), policy.probs.detach().numpy().sum())
noise = Normal(out, 1.0)
print((noise.mean - torch.ones(4)).sum().item(), policy.batch_shape)

# output
import torch
from torch import nn
from torch.distributions import Categorical, Normal

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 4).to(device)
out = net(torch.randn(5, 3, device=device))
policy = Categorical(logits=out)
values = torch.arange(4, device=device).float()
print((policy.probs * values).sum().item(), policy.probs.detach().cpu().numpy().sum())
noise = Normal(out, 1.0)
print((noise.mean - torch.ones(4, device=device)).sum().item(), policy.batch_shape)

# case: what results and layers hold
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
out = net(torch.randn(5, 3)).detach()
parts = torch.linalg.svd(out)
print((parts.S * torch.ones(4)).sum().item(), parts.S.numpy().sum())
print((net[1].running_mean - torch.ones(4)).sum().item())
print(net._modules["0"].weight.detach().numpy().sum())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).to(device)
out = net(torch.randn(5, 3, device=device)).detach()
parts = torch.linalg.svd(out)
print((parts.S * torch.ones(4, device=device)).sum().item(), parts.S.cpu().numpy().sum())
print((net[1].running_mean - torch.ones(4, device=device)).sum().item())
print(net._modules["0"].weight.detach().cpu().numpy().sum())

# case: the state of an optimizer
import torch
from torch import nn

net = nn.Linear(3, 4)
opt = torch.optim.Adam(net.parameters(), 0.1)
scheduler = torch.optim.lr_scheduler.StepLR(opt, 1)
net(torch.randn(5, 3)).sum().backward()
opt.step()
print((opt.state[net.weight]["exp_avg"] * torch.ones(4, 3)).sum().item())
print((scheduler.optimizer.param_groups[0]["params"][0].grad * torch.ones(4, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 4).to(device)
opt = torch.optim.Adam(net.parameters(), 0.1)
scheduler = torch.optim.lr_scheduler.StepLR(opt, 1)
net(torch.randn(5, 3, device=device)).sum().backward()
opt.step()
print((opt.state[net.weight]["exp_avg"] * torch.ones(4, 3, device=device)).sum().item())
print((scheduler.optimizer.param_groups[0]["params"][0].grad * torch.ones(4, 3, device=device)).sum().item())

# case: the program puts tensors into the state of an optimizer
import torch
from torch import nn

net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
for p in net.parameters():
    opt.state[p]["momentum_buffer"] = torch.zeros(p.shape)
net(torch.randn(5, 3)).sum().backward()
opt.step()
print(net.weight.sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 4).to(device)
opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
for p in net.parameters():
    opt.state[p]["momentum_buffer"] = torch.zeros(p.shape, device=device)
net(torch.randn(5, 3, device=device)).sum().backward()
opt.step()
print(net.weight.sum().item())

# case: the weights of some modules of a model, told by their names
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.ReLU())

    def forward(self, x):
        return self.layers(x)


def init(m):
    name = m.__class__.__name__
    if name.find("Linear") != -1:
        m.weight.data.normal_(0.0, 0.02)
    elif name.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        m.bias.data.fill_(0)


net = Net()
net.apply(init)
print(net(torch.rand(4, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.ReLU())

    def forward(self, x):
        return self.layers(x)


def init(m):
    name = m.__class__.__name__
    if name.find("Linear") != -1:
        m.weight.data.normal_(0.0, 0.02)
    elif name.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        m.bias.data.fill_(0)


net = Net().to(device)
net.apply(init)
print(net(torch.rand(4, 3, device=device)).sum().item())

# case: one of many modules, made anew and moved by the same method
import torch
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return self.layer(x)


class Solver:
    def __init__(self, name):
        self.net = None
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.name = name
        self.build()

    def build(self):
        if self.name == "a":
            self.net = Small()
        elif self.name == "b":
            self.net = Small()
        elif self.name == "c":
            self.net = Small()
        elif self.name == "d":
            self.net = Small()
        self.optimizer = torch.optim.SGD(list(self.net.parameters()), 0.1)
        self.net.to(self.device)

    def run(self):
        for _ in range(2):
            x = torch.ones(3, 4).to(self.device)
            self.net(x).sum().backward()
            self.optimizer.step()
        del self.net
        self.build()
        print(self.net(x).sum().item())


def main(name):
    solver = Solver(name)
    if name in "ab":
        solver.run()
    else:
        solver.run()


main("a")

# case: a module that is made and given back is moved by those who take it
from torch import nn


class Block(nn.Module):
    def __init__(self, width, index):
        super().__init__()
        self.last = nn.Conv2d(width, width, kernel_size=1)
        self.index = index

    def forward(self, x):
        out = self.last(x)
        x.index_add_(1, self.index.cuda(), out)
        return x


class Net(nn.Module):
    def __init__(self, block, layers, index):
        super().__init__()
        self.layer = self.make_layer(block, 64, index, layers[0])
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                module.weight.data.fill_(1)
            elif isinstance(module, nn.BatchNorm2d):
                module.bias.data.zero_()

    def make_layer(self, block, width, index, blocks):
        layers = []
        for i in range(blocks):
            layers.append(block(width, index[i]))
        return nn.Sequential(*layers)

    def forward(self, x):
        return self.layer(x)


def small(**kwargs):
    net = Net(Block, [3, 8], **kwargs)
    return net

# output
from torch import nn


class Block(nn.Module):
    def __init__(self, width, index):
        super().__init__()
        self.last = nn.Conv2d(width, width, kernel_size=1)
        self.index = index

    def forward(self, x):
        out = self.last(x)
        x.index_add_(1, self.index.to(out.device), out)
        return x


class Net(nn.Module):
    def __init__(self, block, layers, index):
        super().__init__()
        self.layer = self.make_layer(block, 64, index, layers[0])
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                module.weight.data.fill_(1)
            elif isinstance(module, nn.BatchNorm2d):
                module.bias.data.zero_()

    def make_layer(self, block, width, index, blocks):
        layers = []
        for i in range(blocks):
            layers.append(block(width, index[i]))
        return nn.Sequential(*layers)

    def forward(self, x):
        return self.layer(x)


def small(**kwargs):
    net = Net(Block, [3, 8], **kwargs)
    return net
