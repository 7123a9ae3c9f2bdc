
# case: an attribute is set on one path
import torch
from torch import nn

class Weighted:
    def __init__(self, n):
        self.w = torch.ones(n)
        self.step = 0

    def __call__(self, losses):
        if self.step > 0:
            self.w = torch.softmax(losses.detach(), 0)
        self.step += 1
        return (self.w * losses).sum()

net = nn.Linear(4, 3)
weighted = Weighted(3)
for i in range(3):
    print(weighted(net(torch.randn(10, 4)).mean(0)).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Weighted:
    def __init__(self, n):
        self.w = torch.ones(n, device=device)
        self.step = 0

    def __call__(self, losses):
        if self.step > 0:
            self.w = torch.softmax(losses.detach(), 0)
        self.step += 1
        return (self.w * losses).sum()

net = nn.Linear(4, 3).to(device)
weighted = Weighted(3)
for i in range(3):
    print(weighted(net(torch.randn(10, 4, device=device)).mean(0)).item())

# case: a global and an item are set on one path
import torch
from torch import nn

mean = torch.zeros(3)

def update(y, step):
    global mean
    if step > 1:
        mean = 0.5 * y
    return mean + y

net = nn.Linear(4, 3)
state = {"best": torch.zeros(3)}
for i in range(3):
    y = net(torch.randn(4)).detach()
    for _ in range(i):
        state["best"] = y
    print(update(y, i).sum().item(), (state["best"] - y).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

mean = torch.zeros(3, device=device)

def update(y, step):
    global mean
    if step > 1:
        mean = 0.5 * y
    return mean + y

net = nn.Linear(4, 3).to(device)
state = {"best": torch.zeros(3, device=device)}
for i in range(3):
    y = net(torch.randn(4, device=device)).detach()
    for _ in range(i):
        state["best"] = y
    print(update(y, i).sum().item(), (state["best"] - y).sum().item())

# case: lists and dicts come in another order
import random
import torch
from torch import nn

random.seed(1)
data = [(torch.randn(4), torch.zeros(3)), (torch.randn(4), torch.ones(3))]
random.shuffle(data)
rows = [torch.ones(3), torch.zeros(3)]
rows.sort(key=lambda row: row.sum().item())
heads = {"x": torch.zeros(3), "y": torch.ones(3)}
heads.pop("x")
net = nn.Linear(4, 3)
x, y = data[0]
print((net(x) - y + rows[0] + list(heads.values())[0]).sum().item())

# output
import random
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

random.seed(1)
data = [(torch.randn(4), torch.zeros(3)), (torch.randn(4), torch.ones(3))]
random.shuffle(data)
rows = [torch.ones(3, device=device), torch.zeros(3, device=device)]
rows.sort(key=lambda row: row.sum().item())
heads = {"x": torch.zeros(3, device=device), "y": torch.ones(3, device=device)}
heads.pop("x")
net = nn.Linear(4, 3).to(device)
x, y = data[0]
print((net(x.to(device)) - y.to(device) + rows[0] + list(heads.values())[0]).sum().item())

# case: what may be None is made anew
import torch
from torch import nn

class Masks:
    hidden = None
    def __init__(self):
        self.cache = {}
    def get(self, n):
        mask = self.cache.get(n)
        if mask is None:
            mask = torch.tril(torch.ones(n, n))
            self.cache[n] = mask
        return mask
    def step(self, x):
        hidden = self.hidden
        if hidden is None:
            hidden = torch.zeros(4)
        self.hidden = torch.tanh(hidden + x.detach().mean(0))
        return self.hidden

net = nn.Linear(3, 4)
masks = Masks()
for _ in range(2):
    out = net(torch.randn(4, 3))
    print((out * masks.get(4)).sum().item(), masks.step(out).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Masks:
    hidden = None
    def __init__(self):
        self.cache = {}
    def get(self, n):
        mask = self.cache.get(n)
        if mask is None:
            mask = torch.tril(torch.ones(n, n, device=device))
            self.cache[n] = mask
        return mask
    def step(self, x):
        hidden = self.hidden
        if hidden is None:
            hidden = torch.zeros(4, device=x.device)
        self.hidden = torch.tanh(hidden + x.detach().mean(0))
        return self.hidden

net = nn.Linear(3, 4).to(device)
masks = Masks()
for _ in range(2):
    out = net(torch.randn(4, 3, device=device))
    print((out * masks.get(4)).sum().item(), masks.step(out).sum().item())

# case: an attribute and an element that may be missing
import torch
from torch import nn

class Lazy:
    def scaled(self, x):
        scale = getattr(self, "scale", None)
        if scale is None:
            scale = self.scale = torch.ones(4)
        return x * scale

net = nn.Linear(3, 4)
lazy = Lazy()
rows = iter([torch.ones(4)])
for _ in range(2):
    row = next(rows, None)
    if row is None:
        row = torch.zeros(4)
    print((lazy.scaled(net(torch.randn(4, 3))) + row).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Lazy:
    def scaled(self, x):
        scale = getattr(self, "scale", None)
        if scale is None:
            scale = self.scale = torch.ones(4, device=x.device)
        return x * scale

net = nn.Linear(3, 4).to(device)
lazy = Lazy()
rows = iter([torch.ones(4, device=device)])
for _ in range(2):
    row = next(rows, None)
    if row is None:
        row = torch.zeros(4, device=device)
    print((lazy.scaled(net(torch.randn(4, 3, device=device))) + row).sum().item())

# case: an item that is given to a call on some paths
import sys
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None):
        if mask is None:
            mask = torch.ones(3)
        return self.out(x * mask)


net = Net()
options = {}
if len(sys.argv) > 1:
    options["mask"] = torch.zeros(3)
print(net(torch.randn(4, 3), **options).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None):
        if mask is None:
            mask = torch.ones(3)
        return self.out((x * mask).to(next(self.parameters()).device))


net = Net().to(device)
options = {}
if len(sys.argv) > 1:
    options["mask"] = torch.zeros(3)
print(net(torch.randn(4, 3), **options).shape)

# case: the same, through dicts of several kinds
import sys
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None):
        if mask is None:
            mask = torch.ones(3)
        return self.out(x * mask)


def run(net, **options):
    return net(torch.randn(4, 3), **options)


net = Net()
options = dict(mask=torch.zeros(3)) if len(sys.argv) > 1 else {}
print(run(net, **options).shape)
more = {}
if len(sys.argv) > 2:
    more.update(mask=torch.zeros(3))
print(run(net, **more).shape)
print(run(net, **dict(more, **options)).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None):
        if mask is None:
            mask = torch.ones(3)
        return self.out((x * mask).to(next(self.parameters()).device))


def run(net, **options):
    return net(torch.randn(4, 3), **options)


net = Net().to(device)
options = dict(mask=torch.zeros(3)) if len(sys.argv) > 1 else {}
print(run(net, **options).shape)
more = {}
if len(sys.argv) > 2:
    more.update(mask=torch.zeros(3))
print(run(net, **more).shape)
print(run(net, **dict(more, **options)).shape)

# case: an item that is asked for, and is there on some paths only
import sys
import torch
import torch.nn as nn

net = nn.Linear(3, 2)
parts = {}
if len(sys.argv) > 1:
    parts["scale"] = torch.full((2,), 2.0)
scale = parts.get("scale")
if scale is None:
    scale = torch.ones(2)
print((net(torch.randn(4, 3)) * scale).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 2).to(device)
parts = {}
if len(sys.argv) > 1:
    parts["scale"] = torch.full((2,), 2.0, device=device)
scale = parts.get("scale")
if scale is None:
    scale = torch.ones(2, device=device)
print((net(torch.randn(4, 3, device=device)) * scale).shape)

# case: the same in a function
import sys
import torch
import torch.nn as nn

net = nn.Linear(3, 2)
parts = {}
if len(sys.argv) > 1:
    parts["scale"] = torch.full((2,), 2.0)


def forward(x, parts):
    scale = parts.get("scale")
    return net(x) * (scale if scale is not None else torch.ones(2))


print(forward(torch.randn(4, 3), parts).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 2).to(device)
parts = {}
if len(sys.argv) > 1:
    parts["scale"] = torch.full((2,), 2.0, device=device)


def forward(x, parts):
    scale = parts.get("scale")
    return net(x) * (scale if scale is not None else torch.ones(2, device=x.device))


print(forward(torch.randn(4, 3, device=device), parts).shape)

# case: an attribute names another place later
import torch
from torch import nn


class Bank:
    def __init__(self):
        self.rows, self.device = torch.zeros(4, 2), "cpu"

    def to(self, device):
        self.rows, self.device = self.rows.to(device), device

    def put(self, x):
        self.rows[0].copy_(x.detach())


net, bank = nn.Linear(2, 2), Bank()
if torch.cuda.is_available():
    net.cuda()
    bank.to("cuda")
x = torch.ones(2)
if torch.cuda.is_available():
    x = x.cuda()
bank.put(net(x))
print(bank.rows.to(bank.device).sum())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Bank:
    def __init__(self):
        self.rows, self.device = torch.zeros(4, 2), "cpu"

    def to(self, device):
        self.rows, self.device = self.rows.to(device), device

    def put(self, x):
        self.rows[0].copy_(x.detach())


net, bank = nn.Linear(2, 2), Bank()
net.to(device)
bank.to("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(2, device=device)
bank.put(net(x))
print(bank.rows.to(bank.device).sum())

# case: a module names the CPU until it is told of another place
import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.f, self.device = nn.Linear(2, 2), "cpu"

    def place(self, device):
        self.device = device
        return self.to(device)

    def act(self, x):
        return self.f(torch.tensor(x, device=self.device)).argmax().item()


agent = Agent()
print(agent.act([1.0, 2.0]))
if torch.cuda.is_available():
    agent.place("cuda")
print(agent.act([1.0, 2.0]))
