# case: a training step
# min-torch: 2.4
import torch
from torch import nn
from torch.cuda.amp import GradScaler, autocast

torch.manual_seed(0)
model = nn.Linear(3, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = GradScaler(init_scale=2.0**10)
x = torch.randn(4, 3).cuda()
for _ in range(2):
    optimizer.zero_grad()
    with autocast():
        loss = model(x).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    print(loss.item())
with torch.no_grad(), autocast(enabled=False):
    print(model(x).sum().item())

# output
import torch
from torch import nn
from torch.amp import GradScaler, autocast

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = GradScaler(device.type, init_scale=2.0**10, enabled=device.type == "cuda")
x = torch.randn(4, 3).to(device)
for _ in range(2):
    optimizer.zero_grad()
    with autocast(device.type, enabled=device.type == "cuda"):
        loss = model(x).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    print(loss.item())
with torch.no_grad(), autocast(device.type, enabled=False):
    print(model(x).sum().item())

# case: conditions of the user, positions, and a module with another name
# min-torch: 2.4
import argparse

import torch as th
import torch.cuda.amp as amp

parser = argparse.ArgumentParser()
parser.add_argument('--amp', action='store_true')
parser.add_argument('--fp16', action='store_true')
args = parser.parse_args()

device = th.device('cuda' if th.cuda.is_available() else 'cpu')
model = th.nn.Linear(3, 1).to(device)
scaler = amp.GradScaler(1024.0, 2.0, 0.5, 100, args.amp if args.amp else args.fp16)
other = amp.GradScaler(512.0)
x = th.ones(4, 3, device=device)
with amp.autocast(args.amp or args.fp16):
    print(model(x).sum().item())
with amp.autocast(True, th.bfloat16):
    print(model(x).sum().item())
with amp.autocast(
    enabled=args.amp,  # as the user likes it
    dtype=th.bfloat16,
):
    print(model(x).sum().item(), isinstance(scaler, amp.GradScaler))

# output
import argparse

import torch as th
import torch.amp as amp

parser = argparse.ArgumentParser()
parser.add_argument('--amp', action='store_true')
parser.add_argument('--fp16', action='store_true')
args = parser.parse_args()

device = th.device('cuda' if th.cuda.is_available() else 'cpu')
model = th.nn.Linear(3, 1).to(device)
scaler = amp.GradScaler(device.type, 1024.0, 2.0, 0.5, 100, (args.amp if args.amp else args.fp16) and device.type == 'cuda')
other = amp.GradScaler(device.type, 512.0, enabled=device.type == 'cuda')
x = th.ones(4, 3, device=device)
with amp.autocast(device.type, enabled=(args.amp or args.fp16) and device.type == 'cuda'):
    print(model(x).sum().item())
with amp.autocast(device.type, enabled=device.type == 'cuda', dtype=th.bfloat16):
    print(model(x).sum().item())
with amp.autocast(
    device.type,
    enabled=args.amp and device.type == 'cuda',  # as the user likes it
    dtype=th.bfloat16,
):
    print(model(x).sum().item(), isinstance(scaler, amp.GradScaler))

# case: a decorator is evaluated before the program has a device
import torch
from torch import nn
from torch.cuda import amp


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 1)

    @amp.autocast()
    def forward(self, x):
        return self.linear(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
print(net(torch.ones(2, 3, device=device)).shape)

# output
import torch
from torch import nn
from torch import amp


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 1)

    @amp.autocast("cuda")
    def forward(self, x):
        return self.linear(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
print(net(torch.ones(2, 3, device=device)).shape)

# case: a device that is a string has no type
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Linear(3, 1).to(device)
with torch.cuda.amp.autocast():
    print(model(torch.ones(2, 3, device=device)).shape)

# output
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Linear(3, 1).to(device)
with torch.amp.autocast("cuda"):
    print(model(torch.ones(2, 3, device=device)).shape)

# case: an autograd function runs anywhere
import torch
from torch.cuda.amp import custom_bwd, custom_fwd


class Square(torch.autograd.Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32)
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @custom_bwd
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad

# case: an autograd function beside autocast
# min-torch: 2.4
import torch
from torch.cuda.amp import autocast, custom_bwd, custom_fwd


class Square(torch.autograd.Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32)
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @custom_bwd
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def halved(x):
    with autocast():
        return Square.apply(x) / 2

# output
import torch
from torch.amp import autocast, custom_bwd, custom_fwd


class Square(torch.autograd.Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32, device_type="cuda")
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @custom_bwd(device_type="cuda")
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def halved(x):
    with autocast("cuda"):
        return Square.apply(x) / 2

# case: a library follows its input
# min-torch: 2.4
import torch.nn as nn
from torch.cuda.amp import autocast
from torch.cuda.amp.grad_scaler import GradScaler


class Head(nn.Module):
    def __init__(self, scaler: GradScaler):
        super().__init__()
        self.linear = nn.Linear(3, 1)
        self.scaler = scaler

    def forward(self, x):
        with autocast():
            return self.linear(x)

# output
import torch.nn as nn
from torch.amp import autocast
from torch.amp import GradScaler


class Head(nn.Module):
    def __init__(self, scaler: GradScaler):
        super().__init__()
        self.linear = nn.Linear(3, 1)
        self.scaler = scaler

    def forward(self, x):
        with autocast(x.device.type, enabled=x.device.type == "cuda"):
            return self.linear(x)

# case: nothing names a device, nor torch
import torch.nn as nn
from torch.cuda.amp import autocast


class Head(nn.Module):
    def forward(self, batch):
        with autocast(True):
            return batch["x"].float()

# output
import torch.nn as nn
from torch.amp import autocast


class Head(nn.Module):
    def forward(self, batch):
        with autocast("cuda", enabled=True):
            return batch["x"].float()

# case: a scaler beside autocast for other devices
# min-torch: 2.4
import torch

kind = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Linear(3, 1).to(kind)
scaler = torch.cuda.amp.GradScaler(enabled=(kind == "cuda"))
with torch.amp.autocast(kind, dtype=torch.bfloat16):
    print(model(torch.ones(2, 3, device=kind)).shape, scaler.is_enabled())

# output
import torch

kind = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Linear(3, 1).to(kind)
scaler = torch.amp.GradScaler("cuda", enabled=(kind == "cuda"))
with torch.amp.autocast(kind, dtype=torch.bfloat16):
    print(model(torch.ones(2, 3, device=kind)).shape, scaler.is_enabled())

# case: told of its device already
import torch
from torch.amp import GradScaler, autocast

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
scaler = GradScaler(device.type, enabled=device.type == "cuda")
with autocast(device.type, enabled=device.type == "cuda"):
    print(model(torch.ones(2, 3, device=device)).shape)

# case: the import is tried
# reports: DFX205
import torch

try:
    from torch.cuda.amp import autocast
except ImportError:
    from contextlib import nullcontext as autocast

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
with autocast():
    print(model(torch.ones(2, 3, device=device)).shape)

# case: it is handed on
# reports: DFX205
import contextlib

import torch
from torch.cuda.amp import autocast

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
precision = autocast if torch.cuda.is_available() else contextlib.nullcontext
with precision():
    print(model(torch.ones(2, 3, device=device)).shape)

# case: autocast on the CPU, too
# reports: DFX205
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
with torch.autocast("cpu"), torch.cuda.amp.autocast():
    print(model(torch.ones(2, 3, device=device)).shape)

# case: spread arguments
# reports: DFX205
import torch

options = {"enabled": True}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
with torch.cuda.amp.autocast(**options):
    print(model(torch.ones(2, 3, device=device)).shape)

# case: names that torch.amp lacks
# reports: DFX205
import torch
from torch.cuda.amp import autocast, common

print(common.amp_definitely_not_available(), autocast, torch.ones(1).item())

# case: everything
# reports: DFX205
import torch
from torch.cuda.amp import *

model = torch.nn.Linear(3, 1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
print(model(torch.ones(2, 3, device=device)).shape)

# case: the name means something else, too
# reports: DFX205
import torch
from torch.cuda.amp import autocast


def quiet(autocast):
    return autocast()


with autocast():
    print(quiet(dict), torch.ones(1).item())

# case: somebody else's autocast
import torch


class autocast:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


with autocast():
    print(torch.ones(1).item())

# case: suppressed
import torch

with torch.cuda.amp.autocast():  # devicefix: ignore[DFX205]
    print(torch.ones(1).item())

# case: the program compiles CUDA kernels of its own
# reports: DFX212
import torch
from torch.cuda.amp import autocast
from torch.utils.cpp_extension import load

scan = load(name="scan", sources=["scan.cu"])


class Scan(torch.autograd.Function):
    @staticmethod
    @autocast()
    def forward(ctx, x):
        return scan.forward(x)

# case: a torch that has no scaler for all devices
# reports: DFX205
# min-torch: 2.2
import torch
from torch.cuda.amp import GradScaler, autocast

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
scaler = GradScaler()
with autocast():
    loss = model(torch.ones(8, 3, device=device)).sum()
scaler.scale(loss).backward()

# case: an old torch that has all that is needed
# min-torch: 1.13
import torch
from torch.cuda.amp import autocast

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
with autocast():
    print(model(torch.ones(8, 3, device=device)).dtype)

# output
import torch
from torch.amp import autocast

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
with autocast(device.type, enabled=device.type == "cuda"):
    print(model(torch.ones(8, 3, device=device)).dtype)

# case: what an older torch has instead
import torch


class Scaler:
    def __init__(self, device, new):
        try:
            self.scaler = torch.amp.GradScaler(device)
        except TypeError:
            self.scaler = torch.cuda.amp.GradScaler()
        self.other = torch.amp.GradScaler(device) if new else torch.cuda.amp.GradScaler()

# case: beside it, not instead of it
# min-torch: 2.4
import torch

new = torch.amp.GradScaler("cpu")
if new.is_enabled():
    scaler = torch.cuda.amp.GradScaler()

# output
import torch

new = torch.amp.GradScaler("cpu")
if new.is_enabled():
    scaler = torch.amp.GradScaler("cuda")

# case: an argument is given twice
# reports: DFX205
import torch
from torch.cuda.amp import autocast

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
try:
    with autocast(device.type, enabled=device.type == "cuda"):
        print(torch.ones(3, device=device).sum().item())
except TypeError as error:
    print(error)

# case: a module that was moved is asked for no device
import torch


def train(net, loader):
    net = net.cuda()
    for x in loader:
        with torch.cuda.amp.autocast():
            loss = net(x.cuda()).sum()
        loss.backward()

# output
import torch


def train(net, loader):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = net.to(device)
    for x in loader:
        with torch.amp.autocast(device.type, enabled=device.type == "cuda"):
            loss = net(x.to(device)).sum()
        loss.backward()

# case: a device of the function says where
import torch


def train(net, loader):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = net.to(device)
    for x in loader:
        with torch.autocast(device.type, enabled=device.type == "cuda"):
            loss = net(x.to(device)).sum()
        loss.backward()

# case: an import that a question for the version of torch guards
# reports: DFX205
import torch

if torch.__version__ >= "1.6":
    from torch.cuda.amp import autocast

    context = autocast()
    print(context)

# case: in the style of any accelerator it is in force on each, but never on the CPU
# min-torch: 2.8
# style: accelerator
import torch
from torch import nn
from torch.cuda.amp import GradScaler, autocast

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = GradScaler()
with autocast():
    loss = model(torch.ones(3, 4, device=device)).sum()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
print(loss.item())

# output
import torch
from torch import nn
from torch.amp import GradScaler, autocast

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
model = nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = GradScaler(device.type, enabled=device.type != "cpu")
with autocast(device.type, enabled=device.type != "cpu"):
    loss = model(torch.ones(3, 4, device=device)).sum()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
print(loss.item())

# case: with a scaler that needs float64 it stays in force on CUDA only
# min-torch: 2.7
# style: accelerator
import torch
from torch import nn
from torch.cuda.amp import GradScaler

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
scaler = GradScaler()
scaler.scale(model(torch.ones(3, 4, device=device)).sum()).backward()

# output
import torch
from torch import nn
from torch.amp import GradScaler

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
model = nn.Linear(4, 2).to(device)
scaler = GradScaler(device.type, enabled=device.type == "cuda")
scaler.scale(model(torch.ones(3, 4, device=device)).sum()).backward()

# case: in that style, what is generic already
# min-torch: 2.8
# style: accelerator
import torch
from torch import nn

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
model = nn.Linear(4, 2).to(device)
with torch.autocast(device.type, enabled=device.type != "cpu"):
    print(model(torch.ones(3, 4, device=device)).shape)

# case: in that style, what runs anywhere anyway
# min-torch: 2.8
# style: accelerator
import torch
from torch.cuda.amp import custom_bwd, custom_fwd


class Twice(torch.autograd.Function):
    @staticmethod
    @custom_fwd
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    @custom_bwd
    def backward(ctx, grad):
        return 2 * grad


print(Twice.apply(torch.ones(3)).sum().item())

# case: a condition that the new one implies
import torch
from torch import nn
from torch.cuda import amp

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
scaler = amp.GradScaler(enabled=device.type != "cpu")
with amp.autocast(enabled=device.type != "cpu"):
    loss = net(torch.ones(2, 3, device=device)).sum()
scaler.scale(loss).backward()

# output
import torch
from torch import nn
from torch import amp

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
scaler = amp.GradScaler(device.type, enabled=device.type == "cuda")
with amp.autocast(device.type, enabled=device.type == "cuda"):
    loss = net(torch.ones(2, 3, device=device)).sum()
scaler.scale(loss).backward()

# case: a program that needs CUDA all the same has the new names, too
# reports: DFX206
import torch

torch.cuda.set_stream(torch.cuda.Stream())
scaler = torch.cuda.amp.GradScaler()
print(scaler.get_scale())

# output
import torch

torch.cuda.set_stream(torch.cuda.Stream())
scaler = torch.amp.GradScaler("cuda")
print(scaler.get_scale())

# case: a type by the name that an import gives it
import torch
from torch.cuda import amp


def step(net, x, scaler: amp.GradScaler):
    with amp.autocast():
        loss = net(x).sum()
    scaler.scale(loss).backward()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
step(torch.nn.Linear(3, 1).to(device), torch.ones(2, 3, device=device), amp.GradScaler())

# output
import torch
from torch import amp


def step(net, x, scaler: amp.GradScaler):
    with amp.autocast(device.type, enabled=device.type == "cuda"):
        loss = net(x).sum()
    scaler.scale(loss).backward()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
step(torch.nn.Linear(3, 1).to(device), torch.ones(2, 3, device=device), amp.GradScaler(device.type, enabled=device.type == "cuda"))
