# case: `__new__` gives what it was given
import torch
from torch import nn


class Pair:
    def __new__(cls, a):
        return a


print(nn.Linear(3, 2)(Pair(torch.ones(2, 3))).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pair:
    def __new__(cls, a):
        return a


print(nn.Linear(3, 2).to(device)(Pair(torch.ones(2, 3, device=device))).shape)

# case: the constructor of a base, by the name of the base
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
        self.last = Last(3, 1)

    def forward(self, x):
        return self.last(x)


class Last(nn.Linear):
    def __init__(self, size, out):
        nn.Linear.__init__(self, size, out)


print(Net()(torch.rand(4, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
        self.last = Last(3, 1)

    def forward(self, x):
        return self.last(x)


class Last(nn.Linear):
    def __init__(self, size, out):
        nn.Linear.__init__(self, size, out)


print(Net().to(device)(torch.rand(4, 3, device=device)).sum().item())

# case: the constructor of a base that the object does not have
# reports: DFX101 DFX103
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, other):
        super().__init__()
        nn.Transformer.__init__(other)
        self.last = other

    def forward(self, x):
        return self.last(x)


print(Net(nn.Linear(3, 1))(torch.rand(4, 3)).sum().item())

# case: `__new__` of a class of tensors is not followed
# reports: DFX101
import torch
from torch import nn


class Tagged(torch.Tensor):
    @staticmethod
    def __new__(cls, x):
        return torch.Tensor._make_subclass(cls, x)


print(nn.Linear(3, 2)(Tagged(torch.ones(2, 3))).shape)

# case: one object, made by `__new__`
import torch
from torch import nn


class Store:
    one = None

    def __new__(cls):
        if cls.one is None:
            cls.one = super().__new__(cls)
            cls.one.h = torch.zeros(2)
        return cls.one

    def add(self, v):
        self.h = self.h + v


Store().add(nn.Linear(2, 2)(torch.ones(2)))
print(Store().h.shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Store:
    one = None

    def __new__(cls):
        if cls.one is None:
            cls.one = super().__new__(cls)
            cls.one.h = torch.zeros(2, device=device)
        return cls.one

    def add(self, v):
        self.h = self.h + v


Store().add(nn.Linear(2, 2).to(device)(torch.ones(2, device=device)))
print(Store().h.shape)

# case: one object, which each call initializes anew
import torch
from torch import nn


class Store:
    _one = None

    def __new__(cls, *args, **kwargs):
        if not cls._one:
            cls._one = super().__new__(cls)
        return cls._one

    def __init__(self, size):
        self.h = torch.zeros(size)

    def add(self, v):
        self.h = self.h + v


s = Store(2)
s.add(nn.Linear(2, 2)(torch.ones(2)))
print(s.h.shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Store:
    _one = None

    def __new__(cls, *args, **kwargs):
        if not cls._one:
            cls._one = super().__new__(cls)
        return cls._one

    def __init__(self, size):
        self.h = torch.zeros(size, device=device)

    def add(self, v):
        self.h = self.h + v


s = Store(2)
s.add(nn.Linear(2, 2).to(device)(torch.ones(2, device=device)))
print(s.h.shape)

# case: a module whose `__new__` sets something plain
import torch
from torch import nn


class Net(nn.Module):
    def __new__(cls, *args, **kwargs):
        obj = super().__new__(cls)
        obj.made = True
        return obj

    def __init__(self, n):
        super().__init__()
        self.l = nn.Linear(n, 2)

    def forward(self, x):
        return self.l(x)


net = Net(2)
print(net(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __new__(cls, *args, **kwargs):
        obj = super().__new__(cls)
        obj.made = True
        return obj

    def __init__(self, n):
        super().__init__()
        self.l = nn.Linear(n, 2)

    def forward(self, x):
        return self.l(x)


net = Net(2).to(device)
print(net(torch.ones(2, device=device)).shape)

# case: `__new__` makes an object of another class for some
import torch
from torch import nn


class Layer(nn.Module):
    def __new__(cls, kind):
        if kind == "linear":
            return nn.Linear(2, 2)
        return super().__new__(cls)

    def __init__(self, kind):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x * self.w


print(Layer("linear")(torch.ones(2)).shape, Layer("scale")(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Layer(nn.Module):
    def __new__(cls, kind):
        if kind == "linear":
            return nn.Linear(2, 2).to(device)
        return super().__new__(cls)

    def __init__(self, kind):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x * self.w


print(Layer("linear").to(device)(torch.ones(2, device=device)).shape, Layer("scale").to(device)(torch.ones(2, device=device)).shape)

# case: `__new__` of a base
import torch
from torch import nn


class Base:
    def __new__(cls, *args):
        made = object.__new__(cls)
        made.extra = torch.ones(2)
        return made


class Own(Base):
    def __init__(self, w):
        self.w = w


o = Own(torch.ones(2))
print((nn.Linear(2, 2)(torch.ones(2)) * o.w + o.extra).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Base:
    def __new__(cls, *args):
        made = object.__new__(cls)
        made.extra = torch.ones(2, device=device)
        return made


class Own(Base):
    def __init__(self, w):
        self.w = w


o = Own(torch.ones(2, device=device))
print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) * o.w + o.extra).shape)

# case: `__new__` of a tuple is not followed
# reports: DFX101 DFX103
import torch
from torch import nn


class Pair(tuple):
    def __new__(cls, a, b):
        return super().__new__(cls, (a, b))


p = Pair(torch.ones(2), torch.zeros(2))
print((nn.Linear(2, 2)(torch.ones(2)) + p[0]).shape)

# case: `__new__` of an enumeration
# reports: DFX101 DFX103
import enum

import torch
from torch import nn


class Mode(enum.Enum):
    A = (1, "a")
    B = (2, "b")

    def __new__(cls, value, label):
        obj = object.__new__(cls)
        obj._value_ = value
        obj.label = label
        return obj


print((nn.Linear(2, 2)(torch.ones(2)) * Mode.A.value).shape)

# case: the metaclass answers the call with a tensor
import torch
from torch import nn


class Meta(type):
    def __call__(cls, *a, **k):
        return torch.ones(2)


class Store(metaclass=Meta):
    pass


print((nn.Linear(2, 2)(torch.ones(2)) + Store()).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Meta(type):
    def __call__(cls, *a, **k):
        return torch.ones(2, device=device)


class Store(metaclass=Meta):
    pass


print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) + Store()).shape)

# case: a constructor behind a metaclass that takes no keywords
import torch
from torch import nn


class Singleton(type):
    _inst = {}

    def __call__(cls, *a):
        if cls not in cls._inst:
            cls._inst[cls] = super().__call__(*a)
        return cls._inst[cls]


class Store(metaclass=Singleton):
    def __init__(self):
        self.h = torch.zeros(2)

    def add(self, v):
        self.h = self.h + v


torch.manual_seed(0)
net = nn.Linear(2, 2)
for i in range(3):
    Store().add(net(torch.full((2,), float(i))).detach())
print([round(v, 4) for v in Store().h.tolist()], Store() is Store())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Singleton(type):
    _inst = {}

    def __call__(cls, *a):
        if cls not in cls._inst:
            cls._inst[cls] = super().__call__(*a)
        return cls._inst[cls]


class Store(metaclass=Singleton):
    def __init__(self):
        self.h = torch.zeros(2, device=device)

    def add(self, v):
        self.h = self.h + v


torch.manual_seed(0)
net = nn.Linear(2, 2).to(device)
for i in range(3):
    Store().add(net(torch.full((2,), float(i), device=device)).detach())
print([round(v, 4) for v in Store().h.tolist()], Store() is Store())

# case: one object, kept by its metaclass
import torch
from torch import nn


class Singleton(type):
    _instances = {}

    def __call__(cls, *args, **kwargs):
        if cls not in cls._instances:
            cls._instances[cls] = super(Singleton, cls).__call__(*args, **kwargs)
        return cls._instances[cls]


class Store(metaclass=Singleton):
    def __init__(self, n):
        self.h = torch.zeros(n)


print((nn.Linear(2, 2)(torch.ones(2)) + Store(2).h).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Singleton(type):
    _instances = {}

    def __call__(cls, *args, **kwargs):
        if cls not in cls._instances:
            cls._instances[cls] = super(Singleton, cls).__call__(*args, **kwargs)
        return cls._instances[cls]


class Store(metaclass=Singleton):
    def __init__(self, n):
        self.h = torch.zeros(n, device=device)


print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) + Store(2).h).shape)

# case: `__init_subclass__` of a base
import torch
from torch import nn


class Base:
    def __init_subclass__(cls):
        cls.scale = torch.ones(2)


class Own(Base):
    pass


print((nn.Linear(2, 2)(torch.ones(2)) * Own.scale).shape, (nn.Linear(2, 2)(torch.ones(2)) * Own().scale).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Base:
    def __init_subclass__(cls):
        cls.scale = torch.ones(2, device=device)


class Own(Base):
    pass


print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) * Own.scale).shape, (nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) * Own().scale).shape)

# case: the metaclass puts a tensor into the class
# reports: DFX101 DFX103
import torch
from torch import nn


class Meta(type):
    def __new__(mcs, name, bases, ns):
        ns["scale"] = torch.ones(2)
        return super().__new__(mcs, name, bases, ns)


class Own(metaclass=Meta):
    pass


print((nn.Linear(2, 2)(torch.ones(2)) * Own.scale).shape, (nn.Linear(2, 2)(torch.ones(2)) * Own().scale).shape)

# case: type(self)(...) makes another one
import torch
from torch import nn


class Vec:
    def __init__(self, data):
        self.data = data
        self.one = torch.ones(2)

    def __add__(self, other):
        return type(self)(self.data + other.data)

    def total(self):
        return (self.data * self.one).sum()


net = nn.Linear(2, 2)
v = Vec(net(torch.ones(2))) + Vec(torch.ones(2))
print(v.total().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Vec:
    def __init__(self, data):
        self.data = data
        self.one = torch.ones(2)

    def __add__(self, other):
        return type(self)(self.data + other.data)

    def total(self):
        return (self.data * self.one.to(device)).sum()


net = nn.Linear(2, 2).to(device)
v = Vec(net(torch.ones(2, device=device))) + Vec(torch.ones(2, device=device))
print(v.total().item())

# case: type(self)(...) of a module is one more module
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.scale = torch.ones(n)

    def clone(self):
        return type(self)(2)

    def forward(self, x):
        return self.fc(x) * self.scale


net = Base(2)
twin = net.clone()
x = torch.ones(2)
print(net(x).sum().item(), twin(x).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Base(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.register_buffer("scale", torch.ones(n), persistent=False)

    def clone(self):
        return type(self)(2)

    def forward(self, x):
        return self.fc(x) * self.scale


net = Base(2).to(device)
twin = net.clone().to(device)
x = torch.ones(2, device=device)
print(net(x).sum().item(), twin(x).sum().item())

# case: self.__class__(...) of a module is one more module
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.scale = torch.ones(n)

    def clone(self):
        return self.__class__(2)

    def forward(self, x):
        return self.fc(x) * self.scale


net = Base(2)
twin = net.clone()
x = torch.ones(2)
print(net(x).sum().item(), twin(x).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Base(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.register_buffer("scale", torch.ones(n), persistent=False)

    def clone(self):
        return self.__class__(2)

    def forward(self, x):
        return self.fc(x) * self.scale


net = Base(2).to(device)
twin = net.clone().to(device)
x = torch.ones(2, device=device)
print(net(x).sum().item(), twin(x).sum().item())

# case: a class that type() makes
# reports: DFX101 DFX103
import torch
from torch import nn

d = {"w": torch.ones(2)}
Cfg = type("Cfg", (), d)
print((nn.Linear(2, 2)(torch.ones(2)) * Cfg.w + Cfg().w).shape)

# case: keywords of a class of dicts
# reports: DFX101 DFX103
import torch
from torch import nn
torch.manual_seed(0)
class Out(dict): pass
net = nn.Linear(3, 2)
o = Out(y=net(torch.ones(3)), b=torch.zeros(2)); print((o["y"] + o["b"]).sum().item())

# case: the constructor of a class of dicts
# reports: DFX101 DFX103
import torch
from torch import nn
torch.manual_seed(0)
class Out(dict):
    def __init__(self, *a, **k): super().__init__(*a, **k); self.__dict__ = self
net = nn.Linear(3, 2)
o = Out(y=net(torch.ones(3)), b=torch.zeros(2)); print((o.y + o.b).sum().item())
