# case: statements that do nothing else
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Loader:
    def __init__(self, n):
        self.x = torch.ones(n, 3)

    def batch(self, y):
        self.x = self.x.pin_memory()
        y = y.pin_memory()  # copied without blocking
        return self.x.to(device, non_blocking=True), y.to(device, non_blocking=True)


x = torch.ones(3)
x.pin_memory()
print(Loader(2).batch(x))

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Loader:
    def __init__(self, n):
        self.x = torch.ones(n, 3)

    def batch(self, y):
        if torch.cuda.is_available():
            self.x = self.x.pin_memory()
            y = y.pin_memory()  # copied without blocking
        return self.x.to(device, non_blocking=True), y.to(device, non_blocking=True)


x = torch.ones(3)
if torch.cuda.is_available():
    x.pin_memory()
print(Loader(2).batch(x))

# case: two in one statement, in a program that is for CUDA only
import numpy as np
import torch
from torch import nn

device = "cuda"
data = np.arange(64)


def get_batch():
    ix = torch.randint(40, (4,))
    x = torch.stack([torch.from_numpy(data[i:i + 3].astype(np.float32)) for i in ix])
    y = torch.stack([torch.from_numpy(data[i + 1:i + 4].astype(np.float32)) for i in ix])
    x, y = x.pin_memory().to(device, non_blocking=True), y.pin_memory().to(device, non_blocking=True)
    return x, y


model = nn.Linear(3, 3)
model.to(device)
x, y = get_batch()
print((model(x) - y).shape)

# output
import numpy as np
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
data = np.arange(64)


def get_batch():
    ix = torch.randint(40, (4,))
    x = torch.stack([torch.from_numpy(data[i:i + 3].astype(np.float32)) for i in ix])
    y = torch.stack([torch.from_numpy(data[i + 1:i + 4].astype(np.float32)) for i in ix])
    x, y = (x.pin_memory() if torch.cuda.is_available() else x).to(device, non_blocking=True), (y.pin_memory() if torch.cuda.is_available() else y).to(device, non_blocking=True)
    return x, y


model = nn.Linear(3, 3)
model.to(device)
x, y = get_batch()
print((model(x) - y).shape)

# case: the option of a factory
import torch as th

x = th.empty(3, pin_memory=True).zero_()
y = th.ones_like(x, pin_memory=True)
z = th.tensor([1.0], dtype=th.float64, pin_memory=True)
print(x + y, z, th.zeros(3, pin_memory=False))

# output
import torch as th

x = th.empty(3, pin_memory=th.cuda.is_available()).zero_()
y = th.ones_like(x, pin_memory=th.cuda.is_available())
z = th.tensor([1.0], dtype=th.float64, pin_memory=th.cuda.is_available())
print(x + y, z, th.zeros(3, pin_memory=False))

# case: what has no name yet gets it first
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rows = [torch.ones(3), torch.ones(3)]
x = torch.stack(rows).pin_memory().to(device, non_blocking=True)
for row in rows: y = torch.stack([
    row,
]).pin_memory(); print(y)
x = (x.cpu() + 1).pin_memory()
print(x)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rows = [torch.ones(3), torch.ones(3)]
x = torch.stack(rows)
x = (x.pin_memory() if torch.cuda.is_available() else x).to(device, non_blocking=True)
for row in rows: y = torch.stack([
    row,
]); y = (y.pin_memory() if torch.cuda.is_available() else y); print(y)
x = (x.cpu() + 1)
x = (x.pin_memory() if torch.cuda.is_available() else x)
print(x)

# case: a factory pins what it makes
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.out = torch.nn.Linear(3, 1)
        self.host = torch.zeros(2, 3).pin_memory()

    def forward(self, x):
        return self.out(x + self.host.to(x.device, non_blocking=True))


print(Net().to(device)(torch.ones(2, 3, device=device)).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.out = torch.nn.Linear(3, 1)
        self.host = torch.zeros(2, 3, pin_memory=torch.cuda.is_available())

    def forward(self, x):
        return self.out(x + self.host.to(x.device, non_blocking=True))


print(Net().to(device)(torch.ones(2, 3, device=device)).shape)

# case: a transfer behind it belongs to both
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
x = torch.stack([torch.ones(3), torch.ones(3)])
print(model(x.pin_memory()).shape, [y.pin_memory() for y in [torch.ones(3)]])

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
x = torch.stack([torch.ones(3), torch.ones(3)])
print(model((x.pin_memory() if torch.cuda.is_available() else x).to(device)).shape, [(y.pin_memory() if torch.cuda.is_available() else y) for y in [torch.ones(3)]])

# case: an option of the user decides as well
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--pin", action="store_true")
args = parser.parse_args()
x = torch.ones(3)
if args.pin:
    x = x.pin_memory()
print(x, torch.empty(3, pin_memory=args.pin).shape)

# output
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--pin", action="store_true")
args = parser.parse_args()
x = torch.ones(3)
if args.pin and torch.cuda.is_available():
    x = x.pin_memory()
print(x, torch.empty(3, pin_memory=args.pin).shape)

# case: for any accelerator
# min-torch: 2.6
# style: accelerator
import torch

x = torch.ones(3)
x = x.pin_memory()
y = torch.empty(3, pin_memory=True).copy_(x)
print(x.pin_memory() + y)

# output
import torch

x = torch.ones(3)
if torch.accelerator.is_available():
    x = x.pin_memory()
y = torch.empty(3, pin_memory=torch.accelerator.is_available()).copy_(x)
print((x.pin_memory() if torch.accelerator.is_available() else x) + y)

# case: what gets no name, in a program for any accelerator
# reports: DFX217
# min-torch: 2.6
# style: accelerator
import torch


def get(device):
    return torch.stack([torch.ones(3)]).pin_memory().to(device, non_blocking=True)


device = torch.device("cuda")
x = torch.ones(3)
x = x.pin_memory()
print(get(device), x)

# output
import torch


def get(device):
    return torch.stack([torch.ones(3)]).pin_memory().to(device, non_blocking=True)


device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")
x = torch.ones(3)
if torch.accelerator.is_available():
    x = x.pin_memory()
print(get(device), x)

# case: conditions that ask for CUDA
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
device_type = "cuda" if torch.cuda.is_available() else "cpu"
use_cuda = torch.cuda.is_available()
x = torch.ones(3)
if torch.cuda.is_available():
    x = x.pin_memory()
if device.type == "cuda":
    x = x.pin_memory().to(device, non_blocking=True)
elif device_type == "cuda":
    x = x.pin_memory()
y = x.cpu().pin_memory() if use_cuda else x
z = torch.empty(3, pin_memory=True) if use_cuda else torch.empty(3)
print(x, y, z.shape)

# case: a function that ends where there is no CUDA
import torch


def staged(x):
    if not torch.cuda.is_available():
        return x
    return x.pin_memory()


print(staged(torch.ones(3)))

# case: the error is caught
import torch

x = torch.ones(3)
try:
    x = x.pin_memory()
except RuntimeError:
    print("pageable memory")
try:
    y = torch.empty(3, pin_memory=True)
except Exception:
    y = torch.empty(3)
print(x, y.shape)

# case: the program says itself whether there is something to pin for
import torch

pin = torch.cuda.is_available()
x = torch.empty(3, pin_memory=pin)
y = torch.empty(3, pin_memory=torch.cuda.is_available())
print(x.shape, y.is_pinned())

# case: a loader only warns
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(4, 3)), batch_size=2, pin_memory=True)
print(sum(x.sum().item() for (x,) in loader))

# case: classes and functions of the program with the same names
import torch


class Batch:
    def __init__(self, x):
        self.x = x

    def pin_memory(self):
        print("pinned")
        return self


class Counted(torch.Tensor):
    def pin_memory(self):
        print("counted")
        return self


def empty(n, pin_memory=False):
    return torch.empty(n)


batch = Batch(torch.ones(3))
batch = batch.pin_memory()
print(batch.x, empty(3, pin_memory=True).shape, Counted([1.0]).pin_memory())

# case: it may be a tensor or something else
import sys

import torch


class Batch:
    def pin_memory(self):
        return self


x = Batch() if len(sys.argv) > 1 else torch.ones(3)
x = x.pin_memory()
print(x)

# case: a later torch has the option of a factory
# reports: DFX217
# min-torch: 1.0
import torch

print(torch.zeros(3).pin_memory())

# case: a program that needs CUDA
# reports: DFX212
import flash_attn
import torch

x = torch.ones(3)
x = x.pin_memory().cuda()
print(flash_attn.flash_attn_func(x, x, x))

# case: what gets no name is reported, and the program needs CUDA for it
# reports: DFX201 DFX217
import torch


def get():
    return torch.stack([torch.ones(3)]).pin_memory().cuda(non_blocking=True)


print(get())

# case: a name that is read behind it
# reports: DFX217
import torch

sizes = torch.ones(1, 3)
sizes = torch.stack([torch.ones(3)]).pin_memory().expand(sizes.shape)
print(sizes)

# case: no name for torch
# reports: DFX217
from torch import empty, ones

x = ones(3)
x = x.pin_memory()
print(x, empty(3, pin_memory=True).shape)

# case: what is pinned and waits for the transfer
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 3).to(device)
for _ in range(3):
    c = [np.zeros(3, dtype=np.float32)] * 4
    c = torch.from_numpy(np.stack(c)).pin_memory().to(device)
    print(net(c).sum().item())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 3).to(device)
for _ in range(3):
    c = [np.zeros(3, dtype=np.float32)] * 4
    c = torch.from_numpy(np.stack(c)).to(device)
    print(net(c).sum().item())

# case: pinned below a question for CUDA, for a transfer that it waits for
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 3).to(device)
x = torch.ones(4, 3)
x = x.pin_memory().to(device) if torch.cuda.is_available() else x
print(net(x).sum().item())
