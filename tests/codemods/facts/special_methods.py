# case: an object whose `__setattr__` makes a tensor of what it is given
import torch
from torch import nn


class Params:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, torch.tensor(value))


p = Params()
p.mean = [0.5, 0.5]
print((nn.Linear(2, 2)(torch.ones(3, 2)) - p.mean).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Params:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, torch.tensor(value, device=device))


p = Params()
p.mean = [0.5, 0.5]
print((nn.Linear(2, 2).to(device)(torch.ones(3, 2, device=device)) - p.mean).shape)

# case: a module whose `__setattr__` makes tensors of lists
# reports: DFX101 DFX103 DFX105
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)
        self.off = [0.5, 1.0]

    def __setattr__(self, k, v):
        super().__setattr__(k, torch.tensor(v) if isinstance(v, list) else v)

    def forward(self, x):
        return self.l(x) + self.off


print(Net()(torch.ones(2)).shape)

# case: a module whose `__setattr__` only goes on to the one of torch
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)
        self.w = nn.Parameter(torch.ones(2))

    def __setattr__(self, name, value):
        if name == "frozen":
            raise AttributeError(name)
        super().__setattr__(name, value)

    def forward(self, x):
        return self.l(x) * self.w


print(Net()(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)
        self.w = nn.Parameter(torch.ones(2))

    def __setattr__(self, name, value):
        if name == "frozen":
            raise AttributeError(name)
        super().__setattr__(name, value)

    def forward(self, x):
        return self.l(x) * self.w


print(Net().to(device)(torch.ones(2, device=device)).shape)

# case: an object that keeps its attributes elsewhere
import torch
from torch import nn


class Keep:
    def __init__(self):
        self.__dict__["held"] = {}

    def __setattr__(self, name, value):
        self.held[name] = value * torch.ones(2)

    def __getattr__(self, name):
        return self.held[name]


k = Keep()
k.w = nn.Linear(2, 2)(torch.ones(2))
print((k.w + torch.zeros(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Keep:
    def __init__(self):
        self.__dict__["held"] = {}

    def __setattr__(self, name, value):
        self.held[name] = value * torch.ones(2, device=value.device)

    def __getattr__(self, name):
        return self.held[name]


k = Keep()
k.w = nn.Linear(2, 2).to(device)(torch.ones(2, device=device))
print((k.w + torch.zeros(2, device=device)).shape)

# case: `setattr()` runs `__setattr__`, too
import torch
from torch import nn


class Params:
    def __setattr__(self, name, value):
        self.__dict__[name] = torch.tensor(value)


p = Params()
setattr(p, "mean", [0.5, 0.5])
for name in ["a", "b"]:
    setattr(p, name, [1.0, 1.0])
print((nn.Linear(2, 2)(torch.ones(3, 2)) - p.mean * p.a).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Params:
    def __setattr__(self, name, value):
        self.__dict__[name] = torch.tensor(value)


p = Params()
setattr(p, "mean", [0.5, 0.5])
for name in ["a", "b"]:
    setattr(p, name, [1.0, 1.0])
print((nn.Linear(2, 2).to(device)(torch.ones(3, 2, device=device)) - (p.mean * p.a).to(device)).shape)

# case: `__getattr__` makes what is asked for
import torch
from torch import nn


class Lazy:
    def __getattr__(self, name):
        return torch.ones(2)


print((nn.Linear(2, 2)(torch.ones(2)) * Lazy().w).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Lazy:
    def __getattr__(self, name):
        return torch.ones(2, device=device)


print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) * Lazy().w).shape)

# case: a proxy asks the object that it stands for
import torch
from torch import nn


class Proxy:
    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)


class Stats:
    def __init__(self):
        self.mean = torch.zeros(2)

    def scaled(self, x):
        return x - self.mean


p = Proxy(Stats())
print(p.scaled(nn.Linear(2, 2)(torch.ones(2))).shape, (p.mean + nn.Linear(2, 2)(torch.ones(2))).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Proxy:
    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)


class Stats:
    def __init__(self):
        self.mean = torch.zeros(2, device=device)

    def scaled(self, x):
        return x - self.mean


p = Proxy(Stats())
print(p.scaled(nn.Linear(2, 2).to(device)(torch.ones(2, device=device))).shape, (p.mean + nn.Linear(2, 2).to(device)(torch.ones(2, device=device))).shape)

# case: a class whose `__getattribute__` comes before all else is not followed
# reports: DFX101 DFX103
import torch
from torch import nn


class Box:
    def __init__(self):
        self.w = 2.0

    def __getattribute__(self, name):
        return torch.tensor([object.__getattribute__(self, name)] * 2)


print((nn.Linear(2, 2)(torch.ones(2)) * Box().w).shape)

# case: `x[k] = v` runs `__setitem__`
import torch
from torch import nn


class Table:
    def __init__(self):
        self.rows = {}

    def __setitem__(self, k, v):
        self.rows[k] = v + torch.ones(2)


t = Table()
t["a"] = nn.Linear(2, 2)(torch.ones(2))
print(t.rows["a"].shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Table:
    def __init__(self):
        self.rows = {}

    def __setitem__(self, k, v):
        self.rows[k] = v + torch.ones(2, device=v.device)


t = Table()
t["a"] = nn.Linear(2, 2).to(device)(torch.ones(2, device=device))
print(t.rows["a"].shape)

# case: `__setitem__` of a dict that goes on to the one of Python
# reports: DFX101 DFX103
import torch
from torch import nn

net = nn.Linear(2, 2)
state = {}


class Auto(dict):
    def __setitem__(self, k, v):
        super().__setitem__(k, v + torch.ones(2))


a = Auto()
a["x"] = net(torch.ones(2))
print(a["x"].shape)

# case: what is put into a dict of a class of the program is not followed
# reports: DFX101 DFX103
import torch
from torch import nn


class Store(dict):
    pass


a = Store()
a["x"] = nn.Linear(2, 2)(torch.ones(2))
print((a["x"] + torch.ones(2)).shape)

# case: `==` runs `__eq__`
import torch
from torch import nn


class Box:
    def __init__(self):
        self.lo = torch.zeros(2)

    def __eq__(self, x):
        return bool((x > self.lo).all())


y = nn.Linear(2, 2)(torch.ones(2))
print((Box() == y) in (True, False))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Box:
    def __init__(self):
        self.lo = torch.zeros(2, device=device)

    def __eq__(self, x):
        return bool((x > self.lo).all())


y = nn.Linear(2, 2).to(device)(torch.ones(2, device=device))
print((Box() == y) in (True, False))

# case: `in` runs `__contains__`
import torch
from torch import nn


class Box:
    def __init__(self):
        self.lo = torch.zeros(2)

    def __contains__(self, x):
        return bool((x > self.lo).all())


y = nn.Linear(2, 2)(torch.ones(2))
print(sum(y in b for b in [Box()]) in (0, 1))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Box:
    def __init__(self):
        self.lo = torch.zeros(2, device=device)

    def __contains__(self, x):
        return bool((x > self.lo).all())


y = nn.Linear(2, 2).to(device)(torch.ones(2, device=device))
print(sum(y in b for b in [Box()]) in (0, 1))

# case: `copy.copy` runs `__copy__`
import copy

import torch
from torch import nn


class Cfg:
    def __init__(self):
        self.w = torch.ones(2)
        self.tags = [torch.zeros(2)]

    def __copy__(self):
        return Cfg()


a = Cfg()
b = copy.copy(a)
net = nn.Linear(2, 2)
print((net(torch.ones(2)) * a.w + a.tags[0]).shape, (net(torch.ones(2)) * b.w + b.tags[0]).shape)

# output
import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Cfg:
    def __init__(self):
        self.w = torch.ones(2, device=device)
        self.tags = [torch.zeros(2, device=device)]

    def __copy__(self):
        return Cfg()


a = Cfg()
b = copy.copy(a)
net = nn.Linear(2, 2).to(device)
print((net(torch.ones(2, device=device)) * a.w + a.tags[0]).shape, (net(torch.ones(2, device=device)) * b.w + b.tags[0]).shape)

# case: `copy.deepcopy` runs `__deepcopy__`
import copy

import torch
from torch import nn


class Node:
    def __init__(self, net):
        self.net = net

    def __deepcopy__(self, memo):
        return Node(nn.Linear(2, 2))


root = Node(nn.Linear(2, 2))
two = copy.deepcopy(root)
x = torch.ones(1, 2)
print(root.net(x).shape, two.net(x).shape)

# output
import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Node:
    def __init__(self, net):
        self.net = net

    def __deepcopy__(self, memo):
        return Node(nn.Linear(2, 2).to(device))


root = Node(nn.Linear(2, 2).to(device))
two = copy.deepcopy(root)
x = torch.ones(1, 2, device=device)
print(root.net(x).shape, two.net(x).shape)

# case: `__deepcopy__` of an object in what is copied
# reports: DFX101 DFX103
import copy

import torch
from torch import nn


class Node:
    def __init__(self, net):
        self.net = net

    def __deepcopy__(self, memo):
        return Node(nn.Linear(2, 2))


root = [Node(nn.Linear(2, 2))]
two = copy.deepcopy(root)
x = torch.ones(1, 2)
print(root[0].net(x).shape, two[0].net(x).shape)

# case: a copy made by `__reduce__` is not followed
# reports: DFX101 DFX103
import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    def __reduce__(self):
        return Net, ()

    def forward(self, x):
        return self.l(x)


a = Net()
b = copy.copy(a)
x = torch.ones(2)
print(a(x).shape, b(x).shape)

# case: a copy made by `__setstate__` is not followed
# reports: DFX101 DFX103
import copy

import torch
from torch import nn


class Node:
    def __init__(self, net):
        self.net = net

    def __setstate__(self, state):
        self.net = nn.Linear(2, 2)


root = Node(nn.Linear(2, 2))
two = copy.deepcopy(root)
x = torch.ones(1, 2)
print(root.net(x).shape, two.net(x).shape)

# case: an object with a `__torch_function__` is not followed
# reports: DFX101
import torch
from torch import nn


class Boxed:
    def __init__(self, data):
        self.data = data

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func(*[a.data if isinstance(a, cls) else a for a in args])


w = nn.Linear(3, 3).weight
print(torch.matmul(w, Boxed(torch.ones(3))).shape)

# case: a tensor of a class with a `__torch_function__` is not followed
# reports: DFX101 DFX103
import torch
from torch import nn


class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        plain = [a.as_subclass(torch.Tensor) if isinstance(a, cls) else a for a in args]
        out = func(*plain, **(kwargs or {}))
        return out + torch.ones(2)


x = torch.ones(2).as_subclass(Logged)
print((x * nn.Linear(2, 2)(torch.ones(2))).shape)

# case: super() goes on in the order of the classes of the object
import torch
from torch import nn


class Shift:
    def forward(self, x):
        return super().forward(x) + torch.ones(2)


class Layer(Shift, nn.Linear):
    pass


print(Layer(2, 2)(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Shift:
    def forward(self, x):
        return super().forward(x) + torch.ones(2, device=x.device)


class Layer(Shift, nn.Linear):
    pass


print(Layer(2, 2).to(device)(torch.ones(2, device=device)).shape)

# case: a method of the second base stands before one of the base of both
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(2, 2)

    def last(self, x):
        return x

    def forward(self, x):
        return self.last(self.f(x))


class One(Base):
    pass


class Other(Base):
    def last(self, x):
        return x + torch.ones(2)


class Both(One, Other):
    pass


print(Both()(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(2, 2)

    def last(self, x):
        return x

    def forward(self, x):
        return self.last(self.f(x))


class One(Base):
    pass


class Other(Base):
    def last(self, x):
        return x + torch.ones(2, device=x.device)


class Both(One, Other):
    pass


print(Both().to(device)(torch.ones(2, device=device)).shape)

# case: nobody knows what the forward of a library gives
import torch
from fancy_layers import FancyLinear


class Layer(FancyLinear, torch.nn.Module):
    def forward(self, x):
        return super().forward(x) + torch.ones(2)


print(Layer(2, 2)(torch.ones(2)).shape)

# case: the forward of a layer is inherited, and its other results are not known
# reports: DFX101 DFX103
import torch
from torch import nn


class Cell(nn.GRU):
    def forward(self, x):
        out, h = super().forward(x)
        return out + torch.ones(2)


print(Cell(2, 2)(torch.ones(3, 2)).shape)

# case: a distribution of the program is made by torch
# reports: DFX101 DFX103
import torch
from torch import nn
from torch.distributions import Normal


class Squashed(Normal):
    def sample(self):
        return super().sample().tanh()


print(Squashed(nn.Linear(2, 2)(torch.ones(2)), torch.ones(2)).sample().shape)

# case: the call of a module ends in its forward
import torch
from torch import nn


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(2, 2)

    def __call__(self, x):
        return super().__call__(x) + torch.ones(2)

    def forward(self, x):
        return self.f(x)


print(Shifted()(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(2, 2)

    def __call__(self, x):
        return super().__call__(x) + torch.ones(2, device=x.device)

    def forward(self, x):
        return self.f(x)


print(Shifted().to(device)(torch.ones(2, device=device)).shape)

# case: objects are compared by their own methods when they are sorted
import torch
from torch import nn


class Scored:
    def __init__(self, score):
        self.score = score

    def __lt__(self, other):
        return bool(self.score < other.score)


found = [Scored(nn.Linear(2, 1)(torch.ones(2))), Scored(torch.zeros(1))]
print(sorted(found)[0].score.shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Scored:
    def __init__(self, score):
        self.score = score

    def __lt__(self, other):
        return bool(self.score < other.score)


found = [Scored(nn.Linear(2, 1).to(device)(torch.ones(2, device=device))), Scored(torch.zeros(1, device=device))]
print(sorted(found)[0].score.shape)

# case: the forward of a layer stands before the one of a mixin
import torch
from torch import nn


class Shift:
    def forward(self, x):
        return x + torch.ones(2)


class Net(nn.Sequential, Shift):
    pass


print(Net(nn.Linear(2, 2))(torch.ones(2)).shape)
