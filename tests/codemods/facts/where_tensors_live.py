
# case: a distribution of distributions is where its parameters are, and has no to
import torch
from torch import nn
from torch.distributions import Independent, Normal

net = nn.Linear(4, 2)
prior = Independent(Normal(torch.zeros(6, 2), torch.ones(6, 2)), 1)
print("%.5f" % prior.log_prob(net(torch.randn(6, 4))).mean().item())

# output
import torch
from torch import nn
from torch.distributions import Independent, Normal

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(4, 2).to(device)
prior = Independent(Normal(torch.zeros(6, 2, device=device), torch.ones(6, 2, device=device)), 1)
print("%.5f" % prior.log_prob(net(torch.randn(6, 4, device=device))).mean().item())

# case: what takes the place of a weight's data is where the weight was
import torch
from torch import nn

layer = nn.Linear(3, 3, bias=False)
W = torch.eye(3)
layer.weight.data = W
x = torch.randn(4, 3)
layer.weight.data *= torch.ones(3, 3)
print("%.5f" % layer(x).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

layer = nn.Linear(3, 3, bias=False).to(device)
W = torch.eye(3, device=device)
layer.weight.data = W
x = torch.randn(4, 3, device=device)
layer.weight.data *= torch.ones(3, 3, device=device)
print("%.5f" % layer(x).sum().item())

# case: a tensor's hook gets a gradient where the tensor is
import torch
from torch import nn

net = nn.Linear(3, 4)
scale = torch.linspace(0, 1, 4)


def rescale(grad):
    return grad * scale


h = net(torch.randn(5, 3))
h.register_hook(rescale)
h.sum().backward()
print("%.5f" % net.weight.grad.sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 4).to(device)
scale = torch.linspace(0, 1, 4, device=device)


def rescale(grad):
    return grad * scale


h = net(torch.randn(5, 3, device=device))
h.register_hook(rescale)
h.sum().backward()
print("%.5f" % net.weight.grad.sum().item())

# case: a parameter that a list gets late
import torch
from torch import nn


class Poly(nn.Module):
    def __init__(self):
        super().__init__()
        self.coef = nn.ParameterList([nn.Parameter(torch.ones(2)) for _ in range(2)])

    def forward(self, x):
        return sum(c * x for c in self.coef)


net = Poly()
net.coef.append(nn.Parameter(torch.ones(2)))
print("%.5f" % net(torch.randn(4, 2)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Poly(nn.Module):
    def __init__(self):
        super().__init__()
        self.coef = nn.ParameterList([nn.Parameter(torch.ones(2)) for _ in range(2)])

    def forward(self, x):
        return sum(c * x for c in self.coef)


net = Poly().to(device)
net.coef.append(nn.Parameter(torch.ones(2, device=device)))
print("%.5f" % net(torch.randn(4, 2, device=device)).sum().item())

# case: a parameter that a dictionary gets late
import torch
from torch import nn


class Poly(nn.Module):
    def __init__(self):
        super().__init__()
        self.named = nn.ParameterDict({"a": nn.Parameter(torch.zeros(2))})

    def forward(self, x):
        return sum(p * x for p in self.named.values())


net = Poly()
net.named["b"] = nn.Parameter(torch.ones(2))
x = torch.randn(4, 2)
print("%.5f" % net(x).sum().item(), "%.5f" % (net(x) * net.named["b"]).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Poly(nn.Module):
    def __init__(self):
        super().__init__()
        self.named = nn.ParameterDict({"a": nn.Parameter(torch.zeros(2))})

    def forward(self, x):
        return sum(p * x for p in self.named.values())


net = Poly().to(device)
net.named["b"] = nn.Parameter(torch.ones(2, device=device))
x = torch.randn(4, 2, device=device)
print("%.5f" % net(x).sum().item(), "%.5f" % (net(x) * net.named["b"]).sum().item())

# case: weights for a generator of the CPU stay, whatever the loss needs
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

y = torch.randint(2, (30,))
counts = torch.bincount(y)
weights = 1.0 / counts[y].float()
sampler = WeightedRandomSampler(weights, len(weights), generator=torch.Generator().manual_seed(0))
net = nn.Linear(3, 2)
crit = nn.CrossEntropyLoss(weight=1.0 / counts.float())
for xb, yb in DataLoader(TensorDataset(torch.randn(30, 3), y), batch_size=10, sampler=sampler):
    print("%.5f" % crit(net(xb), yb).item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

y = torch.randint(2, (30,))
counts = torch.bincount(y)
weights = 1.0 / counts[y].float()
sampler = WeightedRandomSampler(weights, len(weights), generator=torch.Generator().manual_seed(0))
net = nn.Linear(3, 2).to(device)
crit = nn.CrossEntropyLoss(weight=(1.0 / counts.float()).to(device))
for xb, yb in DataLoader(TensorDataset(torch.randn(30, 3), y), batch_size=10, sampler=sampler):
    xb, yb = xb.to(device), yb.to(device)
    print("%.5f" % crit(net(xb), yb).item())

# case: what is written by lists of indices is in one place
import torch
from torch import nn

rows, columns = [0, 1], [0, 2]
dense = torch.zeros(3, 3)
dense[rows, columns] = torch.tensor([1.0, 2.0])
print((dense @ nn.Linear(3, 2)(torch.rand(3, 3))).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

rows, columns = [0, 1], [0, 2]
dense = torch.zeros(3, 3)
dense[rows, columns] = torch.tensor([1.0, 2.0])
print((dense.to(device) @ nn.Linear(3, 2).to(device)(torch.rand(3, 3, device=device))).shape)

# case: gradients come in a tuple, also of one number
import torch
from torch import nn, autograd

net = nn.Linear(3, 1)
scale = torch.tensor(1.0).requires_grad_()
loss = (net(torch.rand(4, 3)) * scale).mean()
first = autograd.grad(loss, [scale], create_graph=True)[0]
second = autograd.grad(loss, scale, create_graph=True)[0]
both = autograd.grad(loss, list(net.parameters()) + [scale], create_graph=True)
print(torch.sum(first * second).item(), both[0].shape, [g.sum().item() for g in both][0])

# output
import torch
from torch import nn, autograd

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 1).to(device)
scale = torch.tensor(1.0, device=device).requires_grad_()
loss = (net(torch.rand(4, 3, device=device)) * scale).mean()
first = autograd.grad(loss, [scale], create_graph=True)[0]
second = autograd.grad(loss, scale, create_graph=True)[0]
both = autograd.grad(loss, list(net.parameters()) + [scale], create_graph=True)
print(torch.sum(first * second).item(), both[0].shape, [g.sum().item() for g in both][0])

# case: a method that compares needs both in one place
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 3)
h = net(torch.randn(4, 3))
print(torch.equal(h, torch.zeros(4, 3)), h.equal(torch.ones(4, 3)))

# output
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 3).to(device)
h = net(torch.randn(4, 3, device=device))
print(torch.equal(h, torch.zeros(4, 3, device=device)), h.equal(torch.ones(4, 3, device=device)))

# case: the default of what a dict does not have
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 3)
h = net(torch.randn(4, 3))

d = {"a": h}
print("%.5f" % (d.pop("c", torch.ones(3)) * h).sum().item())

# output
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 3).to(device)
h = net(torch.randn(4, 3, device=device))

d = {"a": h}
print("%.5f" % (d.pop("c", torch.ones(3, device=device)) * h).sum().item())

# case: what operator computes with
import operator
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 3)
h = net(torch.randn(4, 3))

print("%.5f" % operator.mul(h, torch.ones(3)).sum().item())

# output
import operator
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 3).to(device)
h = net(torch.randn(4, 3, device=device))

print("%.5f" % operator.mul(h, torch.ones(3, device=device)).sum().item())

# case: a vector that becomes the parameters
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 3)
h = net(torch.randn(4, 3))
nn.utils.vector_to_parameters(torch.ones(12), net.parameters())
print("%.5f" % net(torch.ones(2, 3)).sum().item())

# output
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 3).to(device)
h = net(torch.randn(4, 3, device=device))
nn.utils.vector_to_parameters(torch.ones(12, device=device), net.parameters())
print("%.5f" % net(torch.ones(2, 3, device=device)).sum().item())

# case: bounds that are tensors
import torch
from torch import nn

h = nn.Linear(3, 3)(torch.randn(4, 3))
print("%.5f" % torch.clamp(h, torch.zeros(3), torch.ones(3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

h = nn.Linear(3, 3).to(device)(torch.randn(4, 3, device=device))
print("%.5f" % torch.clamp(h, torch.zeros(3, device=device), torch.ones(3, device=device)).sum().item())

# case: what an attribute of a function holds
import torch
from torch import nn


def score(x):
    return net(x) * score.weights


score.weights = torch.tensor([1.0, 2.0])
net = nn.Linear(3, 2)
print("%.4f" % score(torch.ones(4, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def score(x):
    return net(x) * score.weights


score.weights = torch.tensor([1.0, 2.0], device=device)
net = nn.Linear(3, 2).to(device)
print("%.4f" % score(torch.ones(4, 3, device=device)).sum().item())

# case: what apply does to each part
import torch
from torch import nn


def init(m):
    if isinstance(m, nn.Linear):
        m.bias.data = torch.full((m.out_features,), 0.01)


net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
net.apply(init)
print("%.5f" % net(torch.randn(5, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def init(m):
    if isinstance(m, nn.Linear):
        m.bias.data = torch.full((m.out_features,), 0.01, device=device)


net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)).to(device)
net.apply(init)
print("%.5f" % net(torch.randn(5, 3, device=device)).sum().item())

# case: statistics that are set from outside
import torch
from torch import nn

bn = nn.BatchNorm1d(4).eval()
bn.running_var = torch.ones(4) * 2
print("%.5f" % bn(torch.randn(6, 4)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

bn = nn.BatchNorm1d(4).to(device).eval()
bn.running_var = torch.ones(4, device=device) * 2
print("%.5f" % bn(torch.randn(6, 4, device=device)).sum().item())

# case: a target network that nobody calls
import torch
from torch import nn

actor, target = nn.Linear(3, 2), nn.Linear(3, 2)
print("%.5f" % actor(torch.randn(5, 3)).sum().item())
for t, s in zip(target.parameters(), actor.parameters()):
    t.data.copy_(t.data * 0.9 + s.data * 0.1)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

actor, target = nn.Linear(3, 2).to(device), nn.Linear(3, 2).to(device)
print("%.5f" % actor(torch.randn(5, 3, device=device)).sum().item())
for t, s in zip(target.parameters(), actor.parameters()):
    t.data.copy_(t.data * 0.9 + s.data * 0.1)

# case: what folding begins with
import torch
from torch import nn
from itertools import accumulate

rows = list(nn.Linear(3, 2)(torch.randn(4, 3)))
print("%.5f" % list(accumulate(rows, initial=torch.ones(2)))[-1].sum().item())

# output
import torch
from torch import nn
from itertools import accumulate

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

rows = list(nn.Linear(3, 2).to(device)(torch.randn(4, 3, device=device)))
print("%.5f" % list(accumulate(rows, initial=torch.ones(2, device=device)))[-1].sum().item())

# case: of a sparse tensor all parts are in one place
import torch
from torch import nn

at = torch.tensor([[0, 1, 2], [2, 0, 1]])
weights = torch.sparse_coo_tensor(at, torch.tensor([1.0, 2.0, 3.0]), (3, 3))
h = nn.Linear(3, 2)(torch.randn(3, 3))
print("%.5f" % (weights @ h).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

at = torch.tensor([[0, 1, 2], [2, 0, 1]])
weights = torch.sparse_coo_tensor(at, torch.tensor([1.0, 2.0, 3.0]), (3, 3)).to(device)
h = nn.Linear(3, 2).to(device)(torch.randn(3, 3, device=device))
print("%.5f" % (weights @ h).sum().item())

# case: what is made below an answered condition, and in the branch beside it
# reports: DFX201
import torch
from torch import nn
from torch.autograd import Variable


class Net(nn.Module):
    def __init__(self, gpu):
        super().__init__()
        self.gpu = gpu
        self.n = 3
        self.fc = nn.LSTM(3, 3)

    def hidden(self):
        if self.gpu:
            h0 = Variable(torch.zeros(1, self.n, 3).cuda())
        else:
            h0 = Variable(torch.zeros(1, self.n, 3))
        return h0

    def forward(self, x):
        return self.fc(x, (self.hidden(), self.hidden()))[0]


use_gpu = torch.cuda.is_available()
net = Net(use_gpu)
net.n = len([1, 2, 3])
if use_gpu:
    net.cuda()
print(net(torch.ones(4, 3, 3).cuda() if use_gpu else torch.ones(4, 3, 3)).sum().item())

# output
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, gpu):
        super().__init__()
        self.gpu = gpu
        self.n = 3
        self.fc = nn.LSTM(3, 3)

    def hidden(self):
        if self.gpu:
            h0 = torch.zeros(1, self.n, 3).cuda()
        else:
            h0 = torch.zeros(1, self.n, 3)
        return h0

    def forward(self, x):
        return self.fc(x, (self.hidden(), self.hidden()))[0]


use_gpu = torch.cuda.is_available()
device = torch.device("cuda" if use_gpu else "cpu")
net = Net(use_gpu)
net.n = len([1, 2, 3])
net.to(device)
print(net(torch.ones(4, 3, 3, device=device)).sum().item())

# case: the only statement of an else on its line
import torch
from torch.autograd import Variable

net = torch.nn.Linear(3, 1)
gpu = torch.cuda.is_available()
if gpu:
    net.cuda()
for x in [torch.ones(2, 3)]:
    if gpu:
        x = Variable(x.cuda())
    else: x = Variable(x)
    print(net(x).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 1)
net.to(device)
for x in [torch.ones(2, 3)]:
    x = x.to(device)
    print(net(x).sum().item())

# case: the shortest of several ways to the same device
import torch
from torch import nn


class Data:
    def __init__(self, opt, n):
        self.opt = opt
        self.n = n

    def __iter__(self):
        return iter([torch.ones(2, 3)] * self.n)


class Options:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def test(data, opt):
    net = nn.Linear(3, 1).to(opt.device)
    for batch in data:
        print(net(batch.cuda()).sum().item())


options = Options()
test(Data(options, 2), options)

# output
import torch
from torch import nn


class Data:
    def __init__(self, opt, n):
        self.opt = opt
        self.n = n

    def __iter__(self):
        return iter([torch.ones(2, 3)] * self.n)


class Options:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def test(data, opt):
    net = nn.Linear(3, 1).to(opt.device)
    for batch in data:
        print(net(batch.to(opt.device)).sum().item())


options = Options()
test(Data(options, 2), options)

# case: types of mixed precision that are written down
import torch


class Trainer:
    def __init__(self, net, scaler: torch.cuda.amp.grad_scaler.GradScaler):
        self.net = net
        self.scaler = scaler

    def step(self, loss, optimizer, other: torch.cuda.amp.GradScaler):
        self.scaler.scale(loss).backward()
        self.scaler.step(optimizer)

# output
import torch


class Trainer:
    def __init__(self, net, scaler: torch.amp.GradScaler):
        self.net = net
        self.scaler = scaler

    def step(self, loss, optimizer, other: torch.amp.GradScaler):
        self.scaler.scale(loss).backward()
        self.scaler.step(optimizer)

# case: a sparse tensor is made of what is on the CPU
import torch

rows = torch.randint(0, 4, (2, 8))
values = torch.rand(8)
adjacency = torch.sparse.FloatTensor(rows, values, torch.Size((4, 4)))
layer = torch.nn.Linear(3, 2)
print(torch.spmm(adjacency, layer(torch.ones(4, 3))).sum().item(), values.sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

rows = torch.randint(0, 4, (2, 8))
values = torch.rand(8)
adjacency = torch.sparse.FloatTensor(rows, values, torch.Size((4, 4))).to(device)
layer = torch.nn.Linear(3, 2).to(device)
print(torch.spmm(adjacency, layer(torch.ones(4, 3, device=device))).sum().item(), values.sum().item())

# case: a module that has parameters only with an option
import numpy as np
import torch
from torch import nn


class Prior(nn.Module):
    def __init__(self, learn=False):
        super().__init__()
        if learn:
            self.head = nn.Linear(3, 3)
        else:
            self.head = nn.Identity()

    def reverse(self, count):
        return self.head(torch.zeros(count, 3).cuda())

# output
import numpy as np
import torch
from torch import nn


class Prior(nn.Module):
    def __init__(self, learn=False):
        super().__init__()
        if learn:
            self.head = nn.Linear(3, 3)
        else:
            self.head = nn.Identity()

    def reverse(self, count):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return self.head(torch.zeros(count, 3, device=device))

# case: a string has no device, though a tensor may be in its place
import torch
import torch.nn as nn


def noise(kind, shape):
    if kind == "normal":
        return torch.randn(shape)
    return kind


net = nn.Linear(3, 3)
for kind in ["normal", torch.ones(6, 3)]:
    print((net(torch.ones(6, 3)) + noise(kind, (6, 3))).shape)

# output
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def noise(kind, shape):
    if kind == "normal":
        return torch.randn(shape, device=device)
    return kind


net = nn.Linear(3, 3).to(device)
for kind in ["normal", torch.ones(6, 3, device=device)]:
    print((net(torch.ones(6, 3, device=device)) + noise(kind, (6, 3))).shape)

# case: the same in a loop whose turns are looked at one by one
import torch
import torch.nn as nn


def noise(kind, shape):
    if kind == "normal":
        return torch.randn(shape)
    return kind


net = nn.Linear(3, 3)
for kind in ("normal", torch.ones(6, 3)):
    print((net(torch.ones(6, 3)) + noise(kind, (6, 3))).shape)

# output
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def noise(kind, shape):
    if kind == "normal":
        return torch.randn(shape, device=device)
    return kind


net = nn.Linear(3, 3).to(device)
for kind in ("normal", torch.ones(6, 3, device=device)):
    print((net(torch.ones(6, 3, device=device)) + noise(kind, (6, 3))).shape)

# case: the samples of two data sets are stacked together
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset

net = nn.Linear(2, 2)
made = TensorDataset(net(torch.ones(4, 2)).detach())
for (x,) in DataLoader(ConcatDataset([TensorDataset(torch.ones(4, 2)), made]), batch_size=3):
    print(net(x).shape)

# output
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(2, 2).to(device)
made = TensorDataset(net(torch.ones(4, 2, device=device)).detach())
for (x,) in DataLoader(ConcatDataset([TensorDataset(torch.ones(4, 2, device=device)), made]), batch_size=3):
    x = x.to(device)
    print(net(x).shape)

# case: a tensor is compared with what it is looked for in
import torch
from torch import nn

net = nn.Linear(2, 3)
rare = torch.tensor([0, 2])
best = net(torch.ones(2)).argmax()
print(best in rare, best not in [torch.tensor([1])])

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(2, 3).to(device)
rare = torch.tensor([0, 2], device=device)
best = net(torch.ones(2, device=device)).argmax()
print(best in rare, best not in [torch.tensor([1], device=device)])

# case: so is what the method of a list looks for
import torch
from torch import nn

net = nn.Linear(2, 2)
corners = [torch.tensor([0]), torch.tensor([1])]
print(corners.count(net(torch.ones(2)).argmax().view(1)))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(2, 2).to(device)
corners = [torch.tensor([0], device=device), torch.tensor([1], device=device)]
print(corners.count(net(torch.ones(2, device=device)).argmax().view(1)))

# case: lists are compared item by item
import torch
from torch import nn

net = nn.Linear(2, 3)
print([net(torch.ones(2)).argmax().view(1)] == [torch.tensor([1])])

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(2, 3).to(device)
print([net(torch.ones(2, device=device)).argmax().view(1)] == [torch.tensor([1], device=device)])

# case: LBFGS joins the gradients of all parameters
import torch
from torch import nn

net, scale = nn.Linear(2, 1), nn.Parameter(torch.ones(3))
opt = torch.optim.LBFGS([*net.parameters(), scale])


def closure():
    opt.zero_grad()
    loss = net(torch.ones(1, 2)).pow(2).sum() + scale.pow(2).sum()
    loss.backward()
    return loss


print(opt.step(closure).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net, scale = nn.Linear(2, 1).to(device), nn.Parameter(torch.ones(3, device=device))
opt = torch.optim.LBFGS([*net.parameters(), scale])


def closure():
    opt.zero_grad()
    loss = net(torch.ones(1, 2, device=scale.device)).pow(2).sum() + scale.pow(2).sum()
    loss.backward()
    return loss


print(opt.step(closure).item())

# case: who forks goes on with the same module in both processes
import os

import torch
from torch import nn

net = nn.Linear(2, 2)
if os.fork() == 0:
    print(net(torch.ones(2)))
    os._exit(0)
os.wait()
print(net(torch.ones(2)))

# case: what is sorted into a list is compared with its items
import bisect

import torch
from torch import nn

seen = [torch.tensor([-9.0])]
bisect.insort(seen, nn.Linear(2, 1)(torch.ones(2)).detach())
print(len(seen))

# output
import bisect

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

seen = [torch.tensor([-9.0], device=device)]
bisect.insort(seen, nn.Linear(2, 1).to(device)(torch.ones(2, device=device)).detach())
print(len(seen))

# case: so are the items of a list that is sorted
import torch
from torch import nn

seen = [torch.tensor([-9.0]), nn.Linear(2, 1)(torch.ones(2)).detach()]
seen.sort()
print(len(sorted(seen)))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

seen = [torch.tensor([-9.0], device=device), nn.Linear(2, 1).to(device)(torch.ones(2, device=device)).detach()]
seen.sort()
print(len(sorted(seen)))

# case: math.prod multiplies tensors
import math

import torch
from torch import nn

print(math.prod([nn.Linear(2, 2)(torch.ones(2)), torch.ones(2)]).shape)

# output
import math

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

print(math.prod([nn.Linear(2, 2).to(device)(torch.ones(2, device=device)), torch.ones(2, device=device)]).shape)

# case: a type of the CPU is asked for
# reports: DFX101 DFX103
import torch
from torch import nn


def kind(x):
    if isinstance(x, torch.FloatTensor):
        return "float"
    return "other"


print(kind(nn.Linear(2, 2)(torch.ones(2))))
