# case: the batches of collate_fn=list are lists of samples
import torch
from torch import nn
from torch.utils.data import DataLoader

rows = [torch.ones(2) for i in range(4)]
net = nn.Linear(2, 2)
for batch in DataLoader(rows, batch_size=2, collate_fn=list):
    for r in batch:
        print(net(r).shape)

# output
import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

rows = [torch.ones(2) for i in range(4)]
net = nn.Linear(2, 2).to(device)
for batch in DataLoader(rows, batch_size=2, collate_fn=list):
    for r in batch:
        r = r.to(device)
        print(net(r).shape)

# case: typing.cast gives back what it is given
import typing

import torch
from torch import nn

print((nn.Linear(2, 2)(torch.ones(2)) + typing.cast(torch.Tensor, torch.ones(2))).shape)

# output
import typing

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) + typing.cast(torch.Tensor, torch.ones(2, device=device))).shape)

# case: a state that is a named tuple
from typing import NamedTuple

import torch
from torch import nn


class State(NamedTuple):
    h: torch.Tensor
    c: torch.Tensor


s = State(*nn.LSTMCell(2, 2)(torch.ones(1, 2), State(torch.zeros(1, 2), torch.zeros(1, 2))))
print((s.h + torch.ones(2)).shape)

# output
from typing import NamedTuple

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class State(NamedTuple):
    h: torch.Tensor
    c: torch.Tensor


s = State(*nn.LSTMCell(2, 2).to(device)(torch.ones(1, 2, device=device), State(torch.zeros(1, 2, device=device), torch.zeros(1, 2, device=device))))
print((s.h + torch.ones(2, device=device)).shape)

# case: a coroutine is no tensor until it is awaited
import asyncio

import torch
from torch import nn


async def predict(net, x):
    return net(x)


async def run(net, x):
    task = predict(net, x)
    return torch.zeros(2) + await task


net = nn.Linear(3, 2)
print(asyncio.run(run(net, torch.ones(3))).shape)

# output
import asyncio

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


async def predict(net, x):
    return net(x)


async def run(net, x):
    task = predict(net, x)
    return torch.zeros(2, device=x.device) + await task


net = nn.Linear(3, 2).to(device)
print(asyncio.run(run(net, torch.ones(3, device=device))).shape)

# case: lists of a recursive function are added up
import torch
from torch import nn


class T:
    def __init__(self, left=None):
        self.left, self.vec = left, torch.ones(2)


def leaves(n):
    return [n] if n.left is None else [n] + leaves(n.left)


net = nn.Linear(2, 2)
print(sum(net(torch.ones(2)) * n.vec for n in leaves(T(T()))).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class T:
    def __init__(self, left=None):
        self.left, self.vec = left, torch.ones(2, device=device)


def leaves(n):
    return [n] if n.left is None else [n] + leaves(n.left)


net = nn.Linear(2, 2).to(device)
print(sum(net(torch.ones(2, device=device)) * n.vec for n in leaves(T(T()))).shape)

# case: what an exception carries is not moved
# reports: DFX101 DFX103
import torch
from torch import nn


def run(net):
    raise ValueError(net(torch.ones(2)))


try:
    run(nn.Linear(2, 2))
except ValueError as e:
    print((e.args[0] + torch.ones(2)).shape)

# case: what a generator returns is not moved
# reports: DFX101 DFX103
import torch
from torch import nn


def gen(net):
    yield 1
    return net(torch.ones(2))


g = gen(nn.Linear(2, 2))
next(g)
try:
    next(g)
except StopIteration as e:
    print((e.value + torch.ones(2)).shape)

# case: what a context variable holds is not moved
# reports: DFX101 DFX103
from contextvars import ContextVar

import torch
from torch import nn

scale = ContextVar("scale", default=torch.tensor([1.0, 2.0]))
print((nn.Linear(3, 2)(torch.ones(3)) * scale.get()).shape)

# case: a view of a dict holds what the dict does
# reports: DFX101 DFX103
from types import MappingProxyType

import torch
from torch import nn

view = MappingProxyType({"k": torch.ones(2)})
print((nn.Linear(2, 2)(torch.ones(2)) + view["k"]).shape)

# case: what a pool of workers gives back is not moved
# reports: DFX101 DFX103
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

net = nn.Linear(2, 2)


def run(i):
    return i, net(torch.ones(2))


with ThreadPoolExecutor(2) as ex:
    for i, y in ex.map(run, range(1)):
        print((y + torch.ones(2)).shape)

# case: what a task will return is not moved
# reports: DFX101 DFX103
import asyncio

import torch
from torch import nn


async def predict(net, x):
    return net(x)


async def run(net, x):
    task = asyncio.create_task(predict(net, x))
    return torch.zeros(2) + await task


net = nn.Linear(3, 2)
print(asyncio.run(run(net, torch.ones(3))).shape)

# case: a model under an autocast of the CPU is not moved
import torch
from torch import nn

net = nn.Linear(4, 2)
x = torch.ones(3, 4)
with torch.autocast("cpu", dtype=torch.bfloat16):
    print(net(x).dtype)

# case: a function that an autocast of the CPU decorates
import torch
from torch import nn

net = nn.Linear(4, 2)


@torch.autocast(device_type="cpu", dtype=torch.bfloat16)
def run(x):
    return net(x)


print(run(torch.ones(3, 4)).dtype)

# case: a state of a class of the program
# reports: DFX101 DFX103
import torch
from torch import nn


class State(tuple):
    pass


h, c = nn.LSTMCell(2, 2)(torch.ones(1, 2), State((torch.zeros(1, 2), torch.zeros(1, 2))))
print(h.shape)

# case: a hook of an optimizer meets its parameters
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
noise = torch.full((1, 3), 0.01)


def before(optimizer, args, kwargs):
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p.dim() == 2:
                p.grad.add_(noise)


opt.register_step_pre_hook(before)
for _ in range(3):
    loss = net(torch.ones(2, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(round(loss.item(), 5))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 1).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
noise = torch.full((1, 3), 0.01, device=device)


def before(optimizer, args, kwargs):
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p.dim() == 2:
                p.grad.add_(noise)


opt.register_step_pre_hook(before)
for _ in range(3):
    loss = net(torch.ones(2, 3, device=device)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(round(loss.item(), 5))

# case: the parameters in the groups of an optimizer are where the model is
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.ones(2, 3)).pow(2).mean()
loss.backward()
opt.step()
for group in opt.param_groups:
    for p in group["params"]:
        p.data = p.data + torch.full(p.shape, 0.5)
print(round(net(torch.ones(2, 3)).sum().item(), 5))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 1).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.ones(2, 3, device=device)).pow(2).mean()
loss.backward()
opt.step()
for group in opt.param_groups:
    for p in group["params"]:
        p.data = p.data + torch.full(p.shape, 0.5, device=device)
print(round(net(torch.ones(2, 3, device=device)).sum().item(), 5))

# case: a batch of named tuples
from typing import NamedTuple

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Row(NamedTuple):
    x: torch.Tensor
    y: int


class D(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return Row(torch.ones(2), i)


net = nn.Linear(2, 2)
for batch in DataLoader(D(), batch_size=2):
    print(net(batch.x).shape)

# output
from typing import NamedTuple

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Row(NamedTuple):
    x: torch.Tensor
    y: int


class D(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return Row(torch.ones(2), i)


net = nn.Linear(2, 2).to(device)
for batch in DataLoader(D(), batch_size=2):
    print(net(batch.x.to(device)).shape)

# case: a namespace of the items of a dict
from types import SimpleNamespace

import torch
from torch import nn

d = {"w": torch.ones(2), "b": torch.zeros(2)}
cfg = SimpleNamespace(**d)
print((nn.Linear(2, 2)(torch.ones(2)) * cfg.w + cfg.b).shape)

# output
from types import SimpleNamespace

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

d = {"w": torch.ones(2, device=device), "b": torch.zeros(2, device=device)}
cfg = SimpleNamespace(**d)
print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) * cfg.w + cfg.b).shape)

# case: an autocast of the CPU that is off
import torch
from torch import nn

net = nn.Linear(4, 2)
x = torch.ones(3, 4)
with torch.autocast("cpu", enabled=False):
    print(net(x).dtype)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(4, 2).to(device)
x = torch.ones(3, 4, device=device)
with torch.autocast("cpu", enabled=False):
    print(net(x).dtype)

# case: a tensor is the default of an option
# reports: DFX101 DFX103
import argparse

import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--w", default=torch.ones(2))
a = p.parse_args([])
print((nn.Linear(2, 2)(torch.ones(2)) * a.w).shape)

# case: the type of an option makes tensors
# reports: DFX101 DFX103
import argparse

import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--w", type=lambda s: torch.tensor([float(v) for v in s.split(",")]))
a = p.parse_args(["--w", "1,2"])
print((nn.Linear(2, 2)(torch.ones(2)) * a.w).shape)

# case: a hook of json makes tensors
# reports: DFX101 DFX103
import json

import torch
from torch import nn

cfg = json.loads('{"w": [1.0, 2.0]}', object_hook=lambda d: {k: torch.tensor(v) for k, v in d.items()})
print((nn.Linear(2, 2)(torch.ones(2)) * cfg["w"]).shape)

# case: contextlib.nullcontext gives back what it is given
import contextlib, torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
with contextlib.nullcontext(torch.ones(2)) as off:
    print((net(torch.ones(1, 3)) + off).sum().item())

# output
import contextlib, torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
with contextlib.nullcontext(torch.ones(2, device=device)) as off:
    print((net(torch.ones(1, 3, device=device)) + off).sum().item())

# case: contextlib.ExitStack enters something
# reports: DFX101 DFX103
import contextlib, torch
from torch import nn
torch.manual_seed(0)
@contextlib.contextmanager
def offset():
    yield torch.full((2,), 0.25)
net = nn.Linear(3, 2)
with contextlib.ExitStack() as st:
    off = st.enter_context(offset())
    y = net(torch.ones(1, 3)) + off
print(y.sum().item())

# case: divmod of a tensor
import torch
from torch import nn

a, b = divmod(torch.tensor([7.0, 8.0]), 2)
print((nn.Linear(2, 2)(torch.ones(2)) + a + b).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

a, b = divmod(torch.tensor([7.0, 8.0], device=device), 2)
print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) + a + b).shape)

# case: operator.attrgetter reads an attribute
# reports: DFX101 DFX103
from operator import attrgetter
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
class O: pass
o = O(); o.b = torch.ones(2)
print((net(torch.ones(3)) + attrgetter("b")(o)).sum().item())

# case: a heap of tensors
import heapq
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
h = []
for i in range(2): heapq.heappush(h, (float(i), i, torch.full((2,), 1.)))
while h:
    s, _, t = heapq.heappop(h)
    print((net(torch.ones(3)) + t).sum().item())

# output
import heapq
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
h = []
for i in range(2): heapq.heappush(h, (float(i), i, torch.full((2,), 1., device=device)))
while h:
    s, _, t = heapq.heappop(h)
    print((net(torch.ones(3, device=device)) + t).sum().item())

# case: one dict | another
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
d = {"a": torch.ones(2)} | {"b": torch.zeros(2)}
print((net(torch.ones(3)) + d["a"]).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
d = {"a": torch.ones(2, device=device)} | {"b": torch.zeros(2)}
print((net(torch.ones(3, device=device)) + d["a"]).sum().item())

# case: dict |= another
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
d = {}
d |= dict(c=torch.full((2,), 3.))
print((net(torch.ones(3)) + d["c"]).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
d = {}
d |= dict(c=torch.full((2,), 3., device=device))
print((net(torch.ones(3, device=device)) + d["c"]).sum().item())

# case: dict.fromkeys
# reports: DFX101 DFX103
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
f = dict.fromkeys("xy", torch.ones(2))
print((net(torch.ones(3)) + f["x"]).sum().item())

# case: an array that torch.frombuffer looks into
import array
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
a = array.array("f", [1, 2])
t = torch.frombuffer(a, dtype=torch.float32)
a[0] = 5
print((net(torch.ones(3)) + t).sum().item())

# output
import array
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
a = array.array("f", [1, 2])
t = torch.frombuffer(a, dtype=torch.float32)
a[0] = 5
print((net(torch.ones(3, device=device)) + t.to(device)).sum().item())

# case: the columns of a list of pairs
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
pairs = [(torch.ones(3), torch.zeros(2)), (torch.zeros(3), torch.ones(2))]
xs, ys = zip(*pairs)
print((net(torch.stack(xs)) - torch.stack(ys)).pow(2).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
pairs = [(torch.ones(3), torch.zeros(2)), (torch.zeros(3), torch.ones(2))]
xs, ys = zip(*pairs)
print((net(torch.stack(xs).to(device)) - torch.stack(ys).to(device)).pow(2).sum().item())

# case: the columns of a list of pairs, by a starred name
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
pairs = [(torch.ones(3), torch.zeros(2)), (torch.zeros(3), torch.ones(2))]
a, *rest = zip(*pairs)
print((net(a[0]) + rest[0][1]).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
pairs = [(torch.ones(3, device=device), torch.zeros(2)), (torch.zeros(3), torch.ones(2, device=device))]
a, *rest = zip(*pairs)
print((net(a[0]) + rest[0][1]).sum().item())

# case: next() with a default
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
t = next((t for t in [torch.ones(2)] if t.sum() > 5), torch.zeros(2))
print((net(torch.ones(3)) + t).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
t = next((t for t in [torch.ones(2)] if t.sum() > 5), torch.zeros(2))
print((net(torch.ones(3, device=device)) + t.to(device)).sum().item())

# case: dict.popitem()
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
d = {"a": torch.ones(2)}
k, v = d.popitem()
print((net(torch.ones(3)) + v).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
d = {"a": torch.ones(2, device=device)}
k, v = d.popitem()
print((net(torch.ones(3, device=device)) + v).sum().item())

# case: a tensor that is sent to a generator
# reports: DFX101 DFX103
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
def acc():
    s = torch.zeros(2)
    while True: x = yield s; s = s + x
g = acc(); next(g)
print(g.send(net(torch.ones(3))).sum().item())

# case: async with
import asyncio
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
class S:
    async def __aenter__(self): return torch.ones(2)
    async def __aexit__(self, *a): pass
async def main():
    async with S() as b: print((net(torch.ones(3)) + b).sum().item())
asyncio.run(main())

# output
import asyncio
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
class S:
    async def __aenter__(self): return torch.ones(2, device=device)
    async def __aexit__(self, *a): pass
async def main():
    async with S() as b: print((net(torch.ones(3, device=b.device)) + b).sum().item())
asyncio.run(main())

# case: sum() with a start
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
s = sum([net(torch.ones(3))], start=torch.ones(2)); print(s.sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
s = sum([net(torch.ones(3, device=device))], start=torch.ones(2, device=device)); print(s.sum().item())

# case: a heap of objects
import heapq
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
class N:
    def __init__(self, s, t): self.s, self.t = s, t
    def __lt__(self, o): return self.s < o.s
h = []
for i in (2., 1.): heapq.heappush(h, N(i, torch.full((2,), i)))
print((net(torch.ones(3)) + heapq.heappop(h).t).sum().item())

# output
import heapq
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
class N:
    def __init__(self, s, t): self.s, self.t = s, t
    def __lt__(self, o): return self.s < o.s
h = []
for i in (2., 1.): heapq.heappush(h, N(i, torch.full((2,), i, device=device)))
print((net(torch.ones(3, device=device)) + heapq.heappop(h).t).sum().item())

# case: what pickle.loads gives
# reports: DFX101 DFX103
import pickle
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
b = pickle.loads(pickle.dumps(torch.ones(2)))
print((net(torch.ones(3)) + b).sum().item())

# case: sum() of lists
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
l = sum([[torch.ones(2)], [torch.zeros(2)]], [])
print((net(torch.ones(3)) + l[1]).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
l = sum([[torch.ones(2, device=device)], [torch.zeros(2, device=device)]], [])
print((net(torch.ones(3, device=device)) + l[1]).sum().item())

# case: a future of a function of the program
# reports: DFX101 DFX103
from concurrent.futures import ThreadPoolExecutor
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
def load(i): return torch.full((2,), float(i))
ex = ThreadPoolExecutor(1); f = ex.submit(load, 1); print((net(torch.ones(3)) + f.result()).sum().item())

# case: an executor maps a function of the program
# reports: DFX101 DFX103
from concurrent.futures import ThreadPoolExecutor
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
def load(i): return torch.full((2,), float(i))
with ThreadPoolExecutor(1) as ex:
    for t in ex.map(load, range(2)): print((net(torch.ones(3)) + t).sum().item())
    a, b = ex.map(load, range(2)); print((net(torch.ones(3)) + b).sum().item()); l = list(ex.map(load, range(2))); print((net(torch.ones(3)) + l[1]).sum().item())

# case: a hook sets an item by a method
# reports: DFX101 DFX103
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
acts = {}
net.register_forward_hook(lambda m, i, o: acts.__setitem__("y", o.detach()))
net(torch.ones(3)); print((acts["y"] * torch.ones(2)).sum().item())

# case: d.__getitem__
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
d = {"a": torch.ones(2)}
print((net(torch.ones(3)) + d.__getitem__("a")).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
d = {"a": torch.ones(2, device=device)}
print((net(torch.ones(3, device=device)) + d.__getitem__("a")).sum().item())

# case: a generator expression with a filter
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
print(sum(net(torch.ones(3)).sum().item() for i in range(4) if i % 2))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
print(sum(net(torch.ones(3, device=device)).sum().item() for i in range(4) if i % 2))

# case: an unknown operand of a method that works in place
# reports: DFX101 DFX103
import torch
from torch import nn
import mystery

net = nn.Linear(3, 4)
out = net(torch.randn(5, 3)).detach()
out.sub_(mystery.mean())
print(out.sum().item())

# case: a list of operands holds an unknown one
# reports: DFX101 DFX103
import torch
from torch import nn
import mystery

net = nn.Linear(4, 3)
out = net(torch.randn(6, 4))
print(torch.cat([out, mystery.rows(6)]).sum().item())

# case: a list of operands gets an unknown one
# reports: DFX101 DFX103
import torch
from torch import nn
import mystery

net = nn.Linear(4, 3)
parts = [net(torch.randn(6, 4))]
for k in range(3):
    parts.append(mystery.rows(k))
print(torch.cat(parts).sum().item())

# case: an operand is a number, or something unknown
# reports: DFX101 DFX103
import torch
from torch import nn
import mystery
net = nn.Linear(4, 3)
o = net(torch.randn(6, 4))
w = 1.0
if mystery.on():
    w = mystery.weights()
print((o * w).sum().item())

# case: iter() calls a function until it gives something
import torch
from torch import nn

net, left = nn.Linear(2, 2), [1, 2]
for y in iter(lambda: net(torch.ones(2)) if left.pop() > 1 else None, None):
    print((y + torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net, left = nn.Linear(2, 2).to(device), [1, 2]
for y in iter(lambda: net(torch.ones(2, device=device)) if left.pop() > 1 else None, None):
    print((y + torch.ones(2, device=device)).shape)

# case: a median is one of the items
import statistics

import torch
from torch import nn

losses = [nn.Linear(2, 1)(torch.ones(2)) for i in range(3)]
print(statistics.median_low(losses) + torch.ones(1))

# output
import statistics

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

losses = [nn.Linear(2, 1).to(device)(torch.ones(2, device=device)) for i in range(3)]
print(statistics.median_low(losses) + torch.ones(1, device=device))
