# case: `__get__` makes what the attribute is
import torch
from torch import nn


class Lazy:
    def __get__(self, obj, cls):
        return torch.ones(1)


class Data:
    grid = Lazy()


net = nn.Linear(1, 8)
print(net(Data().grid).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Lazy:
    def __get__(self, obj, cls):
        return torch.ones(1, device=device)


class Data:
    grid = Lazy()


net = nn.Linear(1, 8).to(device)
print(net(Data().grid).shape)

# case: `__set__` makes a tensor of what is assigned
import torch
from torch import nn


class AsTensor:
    def __set_name__(self, owner, name):
        self.name = name

    def __set__(self, obj, value):
        obj.__dict__[self.name] = torch.as_tensor(value)

    def __get__(self, obj, owner):
        return obj.__dict__[self.name]


class Norm:
    mean = AsTensor()


n = Norm()
n.mean = [0.5, 0.5]
print((nn.Linear(2, 2)(torch.ones(3, 2)) - n.mean).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class AsTensor:
    def __set_name__(self, owner, name):
        self.name = name

    def __set__(self, obj, value):
        obj.__dict__[self.name] = torch.as_tensor(value, device=device)

    def __get__(self, obj, owner):
        return obj.__dict__[self.name]


class Norm:
    mean = AsTensor()


n = Norm()
n.mean = [0.5, 0.5]
print((nn.Linear(2, 2).to(device)(torch.ones(3, 2, device=device)) - n.mean).shape)

# case: a descriptor keeps what it has made in the object
import torch
from torch import nn


class lazy:
    def __init__(self, f):
        self.f = f

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, cls):
        if obj is None:
            return self
        value = self.f(obj)
        obj.__dict__[self.name] = value
        return value


class Data:
    def __init__(self, n):
        self.n = n

    @lazy
    def grid(self):
        return torch.ones(self.n)


d = Data(2)
print(nn.Linear(2, 2)(d.grid).shape, (d.grid + nn.Linear(2, 2)(torch.ones(2))).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class lazy:
    def __init__(self, f):
        self.f = f

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, cls):
        if obj is None:
            return self
        value = self.f(obj)
        obj.__dict__[self.name] = value
        return value


class Data:
    def __init__(self, n):
        self.n = n

    @lazy
    def grid(self):
        return torch.ones(self.n, device=device)


d = Data(2)
print(nn.Linear(2, 2).to(device)(d.grid).shape, (d.grid + nn.Linear(2, 2).to(device)(torch.ones(2, device=device))).shape)

# case: a descriptor keeps what each object has by the object
import weakref

import torch
from torch import nn


class Kept:
    def __init__(self):
        self.values = weakref.WeakKeyDictionary()

    def __get__(self, obj, cls):
        return self.values[obj] * torch.ones(2)

    def __set__(self, obj, value):
        self.values[obj] = value


class Box:
    w = Kept()


b = Box()
b.w = nn.Linear(2, 2)(torch.ones(2))
print((b.w + torch.ones(2)).shape)

# output
import weakref

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Kept:
    def __init__(self):
        self.values = weakref.WeakKeyDictionary()

    def __get__(self, obj, cls):
        return self.values[obj] * torch.ones(2, device=device)

    def __set__(self, obj, value):
        self.values[obj] = value


class Box:
    w = Kept()


b = Box()
b.w = nn.Linear(2, 2).to(device)(torch.ones(2, device=device))
print((b.w + torch.ones(2, device=device)).shape)

# case: a decorator that is a descriptor binds the object itself
import functools

import torch
from torch import nn


class counted:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f = f
        self.calls = 0

    def __get__(self, obj, cls):
        return functools.partial(self, obj)

    def __call__(self, obj, *args):
        self.calls += 1
        return self.f(obj, *args) * torch.ones(2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    @counted
    def encode(self, x):
        return self.l(x)

    def forward(self, x):
        return self.encode(x)


print(Net()(torch.ones(2)).shape)

# output
import functools

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class counted:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f = f
        self.calls = 0

    def __get__(self, obj, cls):
        return functools.partial(self, obj)

    def __call__(self, obj, *args):
        self.calls += 1
        return self.f(obj, *args) * torch.ones(2, device=device)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    @counted
    def encode(self, x):
        return self.l(x)

    def forward(self, x):
        return self.encode(x)


print(Net().to(device)(torch.ones(2, device=device)).shape)

# case: a property of a class
import torch
from torch import nn


class classproperty:
    def __init__(self, f):
        self.f = f

    def __get__(self, obj, cls):
        return self.f(cls)


class A:
    @classproperty
    def x(cls):
        return torch.ones(2)


print(nn.Linear(2, 2)(A.x).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class classproperty:
    def __init__(self, f):
        self.f = f

    def __get__(self, obj, cls):
        return self.f(cls)


class A:
    @classproperty
    def x(cls):
        return torch.ones(2, device=device)


print(nn.Linear(2, 2).to(device)(A.x).shape)

# case: a property with a deleter
import torch
from torch import nn


class P:
    @property
    def x(self):
        return torch.ones(2)

    @x.deleter
    def x(self):
        pass


print(nn.Linear(2, 2)(P().x).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class P:
    @property
    def x(self):
        return torch.ones(2, device=device)

    @x.deleter
    def x(self):
        pass


print(nn.Linear(2, 2).to(device)(P().x).shape)

# case: a property of a base with another getter
import torch
from torch import nn


class A:
    @property
    def x(self):
        return torch.ones(2)


class B(A):
    @A.x.getter
    def x(self):
        return torch.zeros(2)


print(nn.Linear(2, 2)(B().x).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class A:
    @property
    def x(self):
        return torch.ones(2)


class B(A):
    @A.x.getter
    def x(self):
        return torch.zeros(2, device=device)


print(nn.Linear(2, 2).to(device)(B().x).shape)

# case: a setter makes a tensor of what is assigned
import torch
from torch import nn


class Scale:
    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        self._value = torch.tensor(new)


s = Scale()
s.value = [1.0, 2.0]
print((nn.Linear(2, 2)(torch.ones(2)) * s.value).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Scale:
    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        self._value = torch.tensor(new, device=device)


s = Scale()
s.value = [1.0, 2.0]
print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) * s.value).shape)

# case: `property(get, put)`
import torch
from torch import nn


class Scale:
    def get(self):
        return self._value

    def put(self, new):
        self._value = torch.tensor(new)

    value = property(get, put)


s = Scale()
s.value = [1.0, 2.0]
print((nn.Linear(2, 2)(torch.ones(2)) * s.value).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Scale:
    def get(self):
        return self._value

    def put(self, new):
        self._value = torch.tensor(new, device=device)

    value = property(get, put)


s = Scale()
s.value = [1.0, 2.0]
print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) * s.value).shape)
