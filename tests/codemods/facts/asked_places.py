
# case: a function that raises on CUDA tensors
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 3)
y = net(torch.ones(2, 3))

def f(x):
    if x.is_cuda:
        raise ValueError("CPU only")
    return x.sum()
print(f(y).item())

# case: a program that raises if a tensor is not on the CPU
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 3)
y = net(torch.ones(2, 3))

if y.device.type != "cpu":
    raise ValueError("CPU only")
print(y.sum().item())

# case: what is not on the CPU is not implemented
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 3)
y = net(torch.ones(2, 3))

def f(x):
    if x.device.type == "cpu":
        return x.sum()
    raise NotImplementedError
print(f(y).item())

# case: either branch of a question whether a tensor is on CUDA raises
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 3)
y = net(torch.ones(2, 3))

def f(x):
    if x.is_cuda:
        raise NotImplementedError
    else:
        return x.sum()
print(f(y).item())

# case: an assertion of a type of CPU tensors
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 3)
y = net(torch.ones(2, 3))

assert isinstance(y, torch.FloatTensor)
print(y.sum().item())

# case: an assertion of the name of a type
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 3)
y = net(torch.ones(2, 3))

assert y.type() == "torch.FloatTensor"
print(y.sum().item())

# case: there is something for tensors of CUDA
import torch
from torch import nn


def f(x):
    if x.is_cuda:
        return x.sum().cpu()
    return x.sum()


print(f(nn.Linear(3, 3)(torch.ones(2, 3))).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def f(x):
    if x.is_cuda:
        return x.sum().cpu()
    return x.sum()


print(f(nn.Linear(3, 3).to(device)(torch.ones(2, 3, device=device))).item())

# case: a function that raises if tensors are on different devices
import torch
from torch import nn


def f(x, weight):
    if x.device != weight.device:
        raise ValueError("on different devices")
    if x.dtype != weight.dtype or not x.is_floating_point():
        raise TypeError("of different dtypes")
    return (x * weight).sum()


net = nn.Linear(3, 3)
print(f(net(torch.ones(2, 3)), torch.ones(3)).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def f(x, weight):
    if x.device != weight.device:
        raise ValueError("on different devices")
    if x.dtype != weight.dtype or not x.is_floating_point():
        raise TypeError("of different dtypes")
    return (x * weight).sum()


net = nn.Linear(3, 3).to(device)
print(f(net(torch.ones(2, 3, device=device)), torch.ones(3, device=device)).item())

# case: a branch that asks where a tensor is says where it is
import torch
from torch import nn


def one_hot(indexes, n):
    indexes = indexes.type(torch.int64).view(-1, 1)
    if indexes.is_cuda:
        found = torch.zeros(indexes.size()[0], n).cuda().scatter_(1, indexes, 1)
    else:
        found = torch.zeros(indexes.size()[0], n).scatter_(1, indexes, 1)
    return found


def score(p, labels):
    hot = one_hot(labels.cpu(), 3).byte().cuda()
    return torch.masked_select(p, hot)


net = nn.Linear(3, 3).cuda()
print(score(net(torch.ones(2, 3).cuda()), torch.tensor([0, 1]).cuda()))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def one_hot(indexes, n):
    indexes = indexes.type(torch.int64).view(-1, 1)
    found = torch.zeros(indexes.size()[0], n, device=indexes.device).scatter_(1, indexes, 1)
    return found


def score(p, labels):
    hot = one_hot(labels.cpu(), 3).byte().to(device)
    return torch.masked_select(p, hot)


net = nn.Linear(3, 3).to(device)
print(score(net(torch.ones(2, 3, device=device)), torch.tensor([0, 1]).to(device)))
