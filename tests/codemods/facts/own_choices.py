# case: what the program brings to the accelerator is not brought back at once
# reports: DFX201
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 3)
        self.rnn = nn.LSTM(3, 2, batch_first=True)

    def forward(self, inputs):
        words, masks = inputs
        lengths = list(masks.data.eq(0).long().sum(1).squeeze())
        packed = pack_padded_sequence(self.embed(words), lengths, batch_first=True)
        return self.rnn(packed)[1][0].sum()


class Wrapper:
    def __init__(self, opt):
        self.opt = opt
        self.net = Net()
        if opt["cuda"]:
            self.net.cuda()

    def update(self, batch):
        if self.opt["cuda"]:
            inputs = [b.cuda() for b in batch]
        else:
            inputs = [b for b in batch]
        return self.net(inputs)


words, masks = torch.ones(2, 3).long(), torch.zeros(2, 3)
wrapper = Wrapper({"cuda": False})
print(wrapper.update([words, masks]).item())

# case: what an option has brought to the CPU stays there
# reports: DFX105
import torch
from torch import nn


def distances(x):
    return -2 * x.mm(torch.t(x)) + x.pow(2).sum(dim=1).view(1, -1) + x.pow(2).sum(dim=1).view(-1, 1)


class Selector:
    def __init__(self, cpu=True):
        self.cpu = cpu

    def pairs(self, x, labels):
        if self.cpu:
            x = x.cpu()
        matrix = distances(x)
        labels = labels.cpu().numpy()
        first = torch.LongTensor([i for i, label in enumerate(labels) if label])
        return first, matrix[first, first].cpu().sum().item()


class Loss(nn.Module):
    def __init__(self, selector):
        super().__init__()
        self.selector = selector

    def forward(self, x, target):
        pairs, total = self.selector.pairs(x, target)
        if x.is_cuda:
            pairs = pairs.cuda()
        return x[pairs].sum() + total


def train(net, loss, cuda):
    x, y = torch.ones(3, 4), torch.tensor([0, 1, 1])
    if cuda:
        x, y = x.cuda(), y.cuda()
    print(loss(net(x), y).item())


cuda = torch.cuda.is_available()
net = nn.Linear(4, 2)
if cuda:
    net.cuda()
train(net, Loss(Selector()), cuda)

# output
import torch
from torch import nn


def distances(x):
    return -2 * x.mm(torch.t(x)) + x.pow(2).sum(dim=1).view(1, -1) + x.pow(2).sum(dim=1).view(-1, 1)


class Selector:
    def __init__(self, cpu=True):
        self.cpu = cpu

    def pairs(self, x, labels):
        if self.cpu:
            x = x.cpu()
        matrix = distances(x)
        labels = labels.cpu().numpy()
        first = torch.LongTensor([i for i, label in enumerate(labels) if label])
        return first, matrix[first, first].cpu().sum().item()


class Loss(nn.Module):
    def __init__(self, selector):
        super().__init__()
        self.selector = selector

    def forward(self, x, target):
        pairs, total = self.selector.pairs(x, target)
        pairs = pairs.to(x.device)
        return x[pairs].sum() + total


def train(net, loss, cuda):
    device = torch.device("cuda" if cuda else "cpu")
    x, y = torch.ones(3, 4), torch.tensor([0, 1, 1])
    x, y = x.to(device), y.to(device)
    print(loss(net(x), y).item())


cuda = torch.cuda.is_available()
device = torch.device("cuda" if cuda else "cpu")
net = nn.Linear(4, 2)
net.to(device)
train(net, Loss(Selector()), cuda)

# case: parameters that are kept before their module is moved
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.second = nn.Linear(3, 2)

    def forward(self, x):
        return self.second(self.first(x))

    def policies(self):
        weights, biases = [], []
        for m in self.modules():
            if isinstance(m, nn.Linear):
                ps = list(m.parameters())
                weights.append(ps[0])
                biases.append(ps[1])
        return [{"params": weights, "decay": 1}, {"params": biases, "decay": 0}]


def main():
    net = Net()
    policies = net.policies()
    net = nn.DataParallel(net).cuda()
    optimizer = torch.optim.SGD(policies, 0.1)
    x = torch.ones(3, 4).cuda()
    net(x).sum().backward()
    optimizer.step()
    print(net(x).sum().item())


main()

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.second = nn.Linear(3, 2)

    def forward(self, x):
        return self.second(self.first(x))

    def policies(self):
        weights, biases = [], []
        for m in self.modules():
            if isinstance(m, nn.Linear):
                ps = list(m.parameters())
                weights.append(ps[0])
                biases.append(ps[1])
        return [{"params": weights, "decay": 1}, {"params": biases, "decay": 0}]


def main():
    net = Net()
    policies = net.policies()
    net = nn.DataParallel(net).to(device)
    optimizer = torch.optim.SGD(policies, 0.1)
    x = torch.ones(3, 4, device=device)
    net(x).sum().backward()
    optimizer.step()
    print(net(x).sum().item())


main()
