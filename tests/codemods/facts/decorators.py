
# case: a decorator adds something to what the function returns
import torch
from torch import nn


def noisy(f):
    def inner(*args, **kwargs):
        return f(*args, **kwargs) + torch.ones(2)
    return inner


@noisy
def forward(net, x):
    return net(x)


print(forward(nn.Linear(2, 2), torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def noisy(f):
    def inner(*args, **kwargs):
        return f(*args, **kwargs) + torch.ones(2, device=device)
    return inner


@noisy
def forward(net, x):
    return net(x)


print(forward(nn.Linear(2, 2).to(device), torch.ones(2, device=device)).shape)

# case: a decorator that returns something else
import torch
from torch import nn

TABLE = torch.ones(2)


def table(f):
    def inner(n):
        return TABLE
    return inner


@table
def scale(n):
    return n


print((nn.Linear(2, 2)(torch.ones(2)) * scale(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

TABLE = torch.ones(2, device=device)


def table(f):
    def inner(n):
        return TABLE
    return inner


@table
def scale(n):
    return n


print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) * scale(2)).shape)

# case: a class as a decorator keeps what the function has returned
import torch
from torch import nn


class Memo:
    def __init__(self, f):
        self.f = f
        self.memo = {}

    def __call__(self, n):
        if n not in self.memo:
            self.memo[n] = self.f(n) + torch.zeros(n)
        return self.memo[n]


@Memo
def mask(n):
    return torch.ones(n)


print((nn.Linear(2, 2)(torch.ones(2)) * mask(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Memo:
    def __init__(self, f):
        self.f = f
        self.memo = {}

    def __call__(self, n):
        if n not in self.memo:
            self.memo[n] = self.f(n) + torch.zeros(n)
        return self.memo[n]


@Memo
def mask(n):
    return torch.ones(n)


print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) * mask(2).to(device)).shape)

# case: a decorator with a cache
import torch
from torch import nn


def cached(f):
    memo = {}

    def inner(n):
        if n not in memo:
            memo[n] = f(n)
        return memo[n]
    return inner


@cached
def mask(n):
    return torch.ones(n)


print((nn.Linear(2, 2)(torch.ones(2)) * mask(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def cached(f):
    memo = {}

    def inner(n):
        if n not in memo:
            memo[n] = f(n)
        return memo[n]
    return inner


@cached
def mask(n):
    return torch.ones(n, device=device)


print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) * mask(2)).shape)

# case: a decorator turns a result into an array
import torch
from torch import nn


def as_numpy(f):
    def inner(x):
        return f(x).detach().numpy()
    return inner


net = nn.Linear(2, 2)


@as_numpy
def predict(x):
    return net(x)


print(torch.from_numpy(predict(torch.ones(2))).add(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def as_numpy(f):
    def inner(x):
        return f(x).detach().cpu().numpy()
    return inner


net = nn.Linear(2, 2).to(device)


@as_numpy
def predict(x):
    return net(x)


print(torch.from_numpy(predict(torch.ones(2, device=device))).add(torch.ones(2)).shape)

# case: a decorator computes a method on the CPU
import torch
from torch import nn


def on_cpu(f):
    def inner(self, x):
        return f(self, x.cpu()).cpu()
    return inner


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(self.norm(x))

    @on_cpu
    def norm(self, x):
        return x / x.norm()


print(Net()(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def on_cpu(f):
    def inner(self, x):
        return f(self, x.cpu()).cpu()
    return inner


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(self.norm(x).to(self.fc.weight.device))

    @on_cpu
    def norm(self, x):
        return x / x.norm()


print(Net().to(device)(torch.ones(2)).shape)

# case: a decorator that only passes on what it is given
import functools
import torch
from torch import nn


def retry(times):
    def wrap(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            for i in range(times):
                try:
                    return f(*args, **kwargs)
                except ValueError:
                    pass
        return inner
    return wrap


@retry(3)
def step(net, x):
    return (net(x) * torch.ones(2)).sum()


print(step(nn.Linear(2, 2), torch.ones(2)).item())

# output
import functools
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def retry(times):
    def wrap(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            for i in range(times):
                try:
                    return f(*args, **kwargs)
                except ValueError:
                    pass
        return inner
    return wrap


@retry(3)
def step(net, x):
    return (net(x) * torch.ones(2, device=x.device)).sum()


print(step(nn.Linear(2, 2).to(device), torch.ones(2, device=device)).item())

# case: functools.singledispatch picks the function
# reports: DFX101
from functools import singledispatch
import torch
from torch import nn


@singledispatch
def to_t(x):
    return torch.tensor(x)


@to_t.register
def _(x: list):
    return torch.tensor(x) * 1.0


@to_t.register(int)
def _(x):
    return torch.full((2,), float(x))


net = nn.Linear(2, 2)
print(net(to_t([1, 2])).add(to_t(3)).shape)

# case: staticmethod and classmethod as functions
import torch
from torch import nn


def ones(n):
    return torch.ones(n)


class Kit:
    make = staticmethod(ones)
    made = classmethod(lambda cls, n: torch.ones(n))


print((nn.Linear(2, 2)(torch.ones(2)) + Kit.make(2) + Kit.made(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def ones(n):
    return torch.ones(n, device=device)


class Kit:
    make = staticmethod(ones)
    made = classmethod(lambda cls, n: torch.ones(n, device=device))


print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) + Kit.make(2) + Kit.made(2)).shape)

# case: functools.wraps
from functools import lru_cache, cached_property, wraps
import torch
from torch import nn


@lru_cache(None)
def mask(n):
    return torch.ones(n)


def logged(f):
    @wraps(f)
    def inner(*a, **k):
        return f(*a, **k)
    return inner


class A:
    @cached_property
    def w(self):
        return torch.ones(2)

    @logged
    def go(self, net, x):
        return net(x) * self.w * mask(2)


print(A().go(nn.Linear(2, 2), torch.ones(2)).shape)

# output
from functools import lru_cache, cached_property, wraps
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@lru_cache(None)
def mask(n):
    return torch.ones(n, device=device)


def logged(f):
    @wraps(f)
    def inner(*a, **k):
        return f(*a, **k)
    return inner


class A:
    @cached_property
    def w(self):
        return torch.ones(2, device=device)

    @logged
    def go(self, net, x):
        return net(x) * self.w * mask(2)


print(A().go(nn.Linear(2, 2).to(device), torch.ones(2, device=device)).shape)

# case: a decorator is given a tensor
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
def deco(t):
    def d(g):
        def w(*a, **k): return g(*a, **k) + t
        return w
    return d
@deco(torch.ones(2))
def g(x): return net(x)
print(g(torch.ones(3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
def deco(t):
    def d(g):
        def w(*a, **k): return g(*a, **k) + t
        return w
    return d
@deco(torch.ones(2, device=device))
def g(x): return net(x)
print(g(torch.ones(3, device=device)).sum().item())
