# case: another `forward` for a class is not followed
import torch
from torch import nn

SCALE = torch.tensor([1.0, -1.0])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 2)

    def forward(self, x):
        return self.l(x)


def forward(self, x):
    return self.l(x) * SCALE


Net.forward = forward
print(Net()(torch.ones(1, 3)).shape)

# case: the same by `setattr()`
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 2)

    def forward(self, x):
        return self.l(x)


def forward(self, x):
    return self.l(x) * torch.ones(2)


setattr(Net, "forward", forward)
print(Net()(torch.ones(1, 3)).shape)

# case: a decorator that exchanges all methods of a class
import torch
from torch import nn


def logged(cls):
    for name, f in list(vars(cls).items()):
        if callable(f) and not name.startswith("__"):
            setattr(cls, name, wrap(f))
    return cls


def wrap(f):
    def inner(*args):
        return f(*args) * torch.ones(2)

    return inner


@logged
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    def encode(self, x):
        return self.l(x)

    def forward(self, x):
        return self.encode(x)


print(Net()(torch.ones(2)).shape)

# case: a decorator that exchanges the constructor
import torch
from torch import nn


def scaled(cls):
    old = cls.__init__

    def __init__(self, *args, **kwargs):
        old(self, *args, **kwargs)
        self.scale = torch.ones(2)

    cls.__init__ = __init__
    return cls


@scaled
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 2)

    def forward(self, x):
        return self.l(x) * self.scale


print(Net()(torch.ones(4, 3)).shape)

# case: a method is exchanged for a test
from unittest import mock

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    def forward(self, x):
        return self.l(x)


with mock.patch.object(Net, "forward", lambda self, x: self.l(x) * torch.ones(2)):
    print(Net()(torch.ones(2)).shape)

# case: a decorator gives a class one method more
import torch
from torch import nn


def observing(cls):
    def observe(self, y):
        return y + torch.ones(2)

    cls.observe = observe
    return cls


@observing
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 2)

    def forward(self, x):
        return self.observe(self.l(x))


print(Net()(torch.ones(4, 3)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def observing(cls):
    def observe(self, y):
        return y + torch.ones(2, device=y.device)

    cls.observe = observe
    return cls


@observing
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 2)

    def forward(self, x):
        return self.observe(self.l(x))


print(Net().to(device)(torch.ones(4, 3, device=device)).shape)

# case: a class gets one method more
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 2)

    def forward(self, x):
        return self.l(x)


def score(self, x):
    return self(x) * torch.ones(2)


Net.score = score
print(Net().score(torch.ones(1, 3)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 2)

    def forward(self, x):
        return self.l(x)


def score(self, x):
    return self(x) * torch.ones(2, device=x.device)


Net.score = score
print(Net().to(device).score(torch.ones(1, 3, device=device)).shape)

# case: an object that gets another class is not followed
# reports: DFX101 DFX103
import torch
from torch import nn


class A:
    def __init__(self):
        self.w = torch.ones(2)

    def run(self, x):
        return x


class B(A):
    def run(self, x):
        return x * self.w


o = A()
o.__class__ = B
print(o.run(nn.Linear(2, 2)(torch.ones(2))).shape)

# case: tensors get a method of the program
# reports: DFX101 DFX103
import torch
from torch import nn

torch.Tensor.twice = lambda self: self * 2 + torch.ones(2)
print(nn.Linear(2, 2)(torch.ones(2)).twice().shape)

# case: a function of torch is exchanged
# reports: DFX101 DFX103
import torch
from torch import nn

old = torch.relu
torch.relu = lambda x: old(x) + torch.ones(2)
print(torch.relu(nn.Linear(2, 2)(torch.ones(2))).shape)

# case: `forward` of a layer of torch is exchanged
# reports: DFX101 DFX103
import torch
from torch import nn

nn.Identity.forward = lambda self, x: x * torch.ones(2)
print(nn.Sequential(nn.Linear(2, 2), nn.Identity())(torch.ones(2)).shape)

# case: a module gets another `forward`
import types
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return self.fc(x)


def forward(self, x):
    return self.fc(x) * torch.arange(2)


torch.manual_seed(0)
net = Net()
net.forward = types.MethodType(forward, net)
x = torch.ones(2, 3)
print(round(net(x).sum().item(), 4))

# output
import types
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return self.fc(x)


def forward(self, x):
    return self.fc(x) * torch.arange(2, device=x.device)


torch.manual_seed(0)
net = Net().to(device)
net.forward = types.MethodType(forward, net)
x = torch.ones(2, 3, device=device)
print(round(net(x).sum().item(), 4))

# case: an object gets a method
import types
import torch
from torch import nn


class Helper:
    pass


def score(self, x):
    return self.net(x).sum().item()


torch.manual_seed(0)
helper = Helper()
helper.net = nn.Linear(3, 2)
helper.score = types.MethodType(score, helper)
x = torch.ones(2, 3)
print(round(helper.score(x), 4))

# output
import types
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Helper:
    pass


def score(self, x):
    return self.net(x).sum().item()


torch.manual_seed(0)
helper = Helper()
helper.net = nn.Linear(3, 2).to(device)
helper.score = types.MethodType(score, helper)
x = torch.ones(2, 3, device=device)
print(round(helper.score(x), 4))

# case: a layer gets another `forward`, which calls the old one
import torch
from torch import nn

net = nn.Linear(2, 2)
old = net.forward
net.forward = lambda x: old(x) * torch.ones(2)
print(net(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(2, 2).to(device)
old = net.forward
net.forward = lambda x: old(x) * torch.ones(2, device=x.device)
print(net(torch.ones(2, device=device)).shape)

# case: an object gets another method in the place of its own
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    def head(self, x):
        return x

    def forward(self, x):
        return self.head(self.l(x))


net = Net()
net.head = lambda x: x * torch.ones(2)
print(net(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    def head(self, x):
        return x

    def forward(self, x):
        return self.head(self.l(x))


net = Net().to(device)
net.head = lambda x: x * torch.ones(2, device=x.device)
print(net(torch.ones(2, device=device)).shape)
