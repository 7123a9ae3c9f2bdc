
# case: what is sent on at once needs no move before
import torch


class Template:
    def points(self, shape, device="gpu0"):
        grid = torch.cuda.FloatTensor(shape).to(device).float()
        return grid.uniform_(0, 1)

    def noise(self, shape, device):
        return torch.rand(shape).cuda().to(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(2, 3).to(device)
template = Template()
print((x + template.points(x.size(), x.device)).shape, template.noise((2, 3), device).shape)
print((x + torch.cuda.FloatTensor([1.0, 2.0, 3.0]).to(device=x.device)).sum().item())

# output
import torch


class Template:
    def points(self, shape, device="gpu0"):
        grid = torch.FloatTensor(shape).to(device).float()
        return grid.uniform_(0, 1)

    def noise(self, shape, device):
        return torch.rand(shape).to(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(2, 3).to(device)
template = Template()
print((x + template.points(x.size(), x.device)).shape, template.noise((2, 3), device).shape)
print((x + torch.FloatTensor([1.0, 2.0, 3.0]).to(device=x.device)).sum().item())

# case: a cast sends nothing on
import torch


class Template:
    def noise(self, shape, kind):
        return torch.rand(shape).cuda().to(kind)


print(Template().noise((2, 3), torch.float64).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Template:
    def noise(self, shape, kind):
        return torch.rand(shape).to(device).to(kind)


print(Template().noise((2, 3), torch.float64).shape)

# case: one of several that are moved together
import numpy as np
import torch
from torch import nn

net = nn.Linear(3, 4).cuda()
for data, target in [(np.ones((2, 3), dtype="float32"), np.zeros(2, dtype="int64"))]:
    x, y = torch.FloatTensor(data).cuda(), torch.LongTensor(target).cuda()
    x = torch.FloatTensor(np.concatenate((x.cpu().numpy(), data)))
    other = torch.cat((torch.zeros(2), torch.ones(2))).long()
    x, y, other = x.cuda(), y.cuda(), other.cuda()
    print(nn.functional.cross_entropy(net(x), torch.cat((y, other[2:]))).item() > 0)

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 4).to(device)
for data, target in [(np.ones((2, 3), dtype="float32"), np.zeros(2, dtype="int64"))]:
    x, y = torch.FloatTensor(data).to(device), torch.LongTensor(target).to(device)
    x = torch.FloatTensor(np.concatenate((x.cpu().numpy(), data)))
    other = torch.cat((torch.zeros(2), torch.ones(2))).long()
    x, y, other = x.to(device), y.to(device), other.to(device)
    print(nn.functional.cross_entropy(net(x), torch.cat((y, other[2:]))).item() > 0)

# case: behind a move of the program stands none to the CPU
import numpy as np
import torch


class Attack:
    def __init__(self, model):
        self.model = model
        self.device = next(model.parameters()).device

    def forward(self, images, labels):
        images = images.clone().detach().to(self.device)
        labels = labels.clone().detach().to(self.device)
        found = []
        for index in range(images.shape[0]):
            image, label = images[index : index + 1], labels[index : index + 1]

            def func(delta):
                return self.loss(image, label, delta)

            found.append(func(np.zeros(3)))
        return found

    def loss(self, image, label, delta):
        return self.probabilities(torch.cat([image.clone()] * 3, dim=0))[:, label]

    def probabilities(self, images):
        with torch.no_grad():
            outs = []
            for batch in torch.split(images, 8):
                outs.append(self.model(batch))
        outs = torch.cat(outs)
        prob = torch.nn.functional.softmax(outs, dim=1)
        return prob.detach().cpu().numpy()

# output
import numpy as np
import torch


class Attack:
    def __init__(self, model):
        self.model = model
        self.device = next(model.parameters()).device

    def forward(self, images, labels):
        images = images.clone().detach().to(self.device)
        labels = labels.clone().detach().to(self.device)
        found = []
        for index in range(images.shape[0]):
            image, label = images[index : index + 1], labels[index : index + 1]

            def func(delta):
                return self.loss(image, label, delta)

            found.append(func(np.zeros(3)))
        return found

    def loss(self, image, label, delta):
        return self.probabilities(torch.cat([image.clone()] * 3, dim=0))[:, label.cpu()]

    def probabilities(self, images):
        with torch.no_grad():
            outs = []
            for batch in torch.split(images, 8):
                outs.append(self.model(batch))
        outs = torch.cat(outs)
        prob = torch.nn.functional.softmax(outs, dim=1)
        return prob.detach().cpu().numpy()

# case: a device that has not been chosen yet may be any
import torch


class Attack:
    def __init__(self, model):
        self.model = model
        self.device = None

    def set_device(self, device):
        self.device = device

    def logits(self, x):
        return self.model(x)


class Several(Attack):
    def __init__(self, attacks):
        self.attacks = attacks
        super().__init__(attacks[0].model)

    def forward(self, images, labels):
        fails = torch.arange(images.shape[0]).to(self.device)
        labels = labels.clone().detach().to(self.device)
        for attack in self.attacks:
            images = attack(images[fails], labels[fails])
            _, pre = torch.max(self.logits(images).data, 1)
            wrongs = ~(pre == labels[fails])
            print(torch.masked_select(torch.arange(fails.shape[0]).to(self.device), wrongs))
            fails = torch.masked_select(fails, wrongs)

# case: what is in two places is moved where it is needed, and nowhere else
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)


def shown(x, losses):
    print(x.clone().cpu().shape, sum(losses))


def train(batches, most):
    losses = []
    for number, x in enumerate(batches):
        if number >= most:
            break
        x = x.to(device)
        losses.append(net(x).sum().item())
    shown(x, losses)


train([torch.zeros(2, 3), torch.ones(2, 3)], 1)

# case: what is in two places is needed in a function
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)


def shown(x):
    print(net(x).sum().item() > -9)


def train(batches, most):
    for number, x in enumerate(batches):
        if number >= most:
            break
        x = x.to(device)
        print(net(x).shape)
    shown(x)


train([torch.zeros(2, 3), torch.ones(2, 3)], 1)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)


def shown(x):
    print(net(x.to(device)).sum().item() > -9)


def train(batches, most):
    for number, x in enumerate(batches):
        if number >= most:
            break
        x = x.to(device)
        print(net(x).shape)
    shown(x)


train([torch.zeros(2, 3), torch.ones(2, 3)], 1)

# case: what meets something else needs one
import torch


def weighted(net, loader, weight):
    net.cuda()
    for images, label in loader:
        logits = net(images.cuda())
        print((logits == label).type(torch.cuda.FloatTensor).mul(weight).mean().item())

# output
import torch


def weighted(net, loader, weight):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net.to(device)
    for images, label in loader:
        logits = net(images.to(device))
        print((logits == label).to(device, torch.float32).mul(weight).mean().item())

# case: what is only read needs no device
import torch


def accuracy(logits, label):
    pred = torch.argmax(logits, dim=1)
    return (pred == label).type(torch.cuda.FloatTensor).mean().item()


print(accuracy(torch.eye(3), torch.arange(3)))

# output
import torch


def accuracy(logits, label):
    pred = torch.argmax(logits, dim=1)
    return (pred == label).float().mean().item()


print(accuracy(torch.eye(3), torch.arange(3)))
