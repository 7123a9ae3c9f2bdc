# case: where another tensor is
import torch


def noisy(x, scale=0.1):
    noise = torch.randn(x.size()).cuda(x.get_device())
    more = torch.rand(x.size(), device=x.get_device()) - 0.5
    shift = torch.ones(x.size()).to(x.data.get_device(), non_blocking=True)
    return x + scale * (noise + more) + shift

# output
import torch


def noisy(x, scale=0.1):
    noise = torch.randn(x.size()).to(x.device)
    more = torch.rand(x.size(), device=x.device) - 0.5
    shift = torch.ones(x.size()).to(x.data.device, non_blocking=True)
    return x + scale * (noise + more) + shift

# case: numbers beside a device in scope
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=0)
print(model(x).to(torch.cuda.current_device()).shape, model(x.to(0)).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
print(model(x).to(device).shape, model(x.to(device)).shape)

# case: devices that are computed
import os

import torch

rank = int(os.environ.get("LOCAL_RANK", 0))
one = torch.device(f"cuda:{rank}")
two = torch.device('cuda', rank)
three = torch.device("cuda:%d" % rank)
four = torch.device("cuda:{}".format(rank))
print(torch.ones(3, device=one), torch.ones(3).to(two), three, four)

# output
import os

import torch

rank = int(os.environ.get("LOCAL_RANK", 0))
one = torch.device(f"cuda:{rank}" if torch.cuda.is_available() else "cpu")
two = torch.device('cuda', rank) if torch.cuda.is_available() else torch.device("cpu")
three = torch.device("cuda:%d" % rank if torch.cuda.is_available() else "cpu")
four = torch.device("cuda:{}".format(rank) if torch.cuda.is_available() else "cpu")
print(torch.ones(3, device=one), torch.ones(3).to(two), three, four)

# case: one of several
import torch as th

th.cuda.set_device(1)
device = th.device(2)
x = th.ones(3).to(1)
y = th.zeros(3, device=0)
print(x, y, th.ones(3, device=device))

# output
import torch as th

if th.cuda.is_available():
    th.cuda.set_device(1)
device = th.device(2 if th.cuda.is_available() else "cpu")
x = th.ones(3).to(1 if th.cuda.is_available() else "cpu")
y = th.zeros(3, device=0 if th.cuda.is_available() else "cpu")
print(x, y, th.ones(3, device=device))

# case: something has asked
import torch

rank = 1
device = torch.device(f"cuda:{rank}" if torch.cuda.is_available() else "cpu")
other = torch.device("cuda", rank) if torch.cuda.is_available() else torch.device("cpu")
if torch.cuda.is_available():
    print(torch.ones(3).to(0), torch.device("cuda:%d" % rank))
print(torch.ones(3).to(device), other)

# case: no devices
import torch

x = torch.ones(3)
print(x.get_device(), x.to(torch.float64).sum(0), torch.zeros(3, dtype=torch.int64))
if x.get_device() < 0:
    print("on the host")
with torch.cuda.device(x.get_device()):
    print(x.sum().item())

# case: a device that is chosen by somebody else
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu")
args = parser.parse_args()
device = torch.device(args.device)
host = torch.device("cpu", 0)
print(torch.ones(3, device=device), torch.ones(3, device=host))

# case: the program chooses the CPU for the same name else
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--use-gpu", action="store_true")
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args()
if args.use_gpu:
    device = torch.device("cuda:{}".format(args.gpu))
    print(f"on GPU {args.gpu}")
else:
    device = torch.device("cpu")
print(torch.ones(3, device=device))

# case: a question
import torch

x = torch.ones(3)
print(x.device == torch.device("cuda", 1), torch.device(f"cuda:{1}").index)

# case: what it is called on is not known
# reports: DFX208
import torch
from somewhere import load

x = load("x")
print(torch.ones(3, device=x.get_device()))

# case: somebody else's get_device
import torch


class Sensor:
    def get_device(self):
        return "cpu"


print(torch.ones(3, device=Sensor().get_device()))

# case: the method that moves to CUDA
import torch
from torch import nn


class Net(nn.Module):
    def cuda(self, device=None):
        if device is None:
            device = torch.device("cuda", torch.cuda.current_device())
        self.place = torch.device("cuda")
        torch.cuda.synchronize()
        return super().cuda(device)


# case: a method that is only called so
import torch


class Trainer:
    def cuda(self, index):
        self.place = torch.device("cuda", index)

# output
import torch


class Trainer:
    def cuda(self, index):
        self.place = torch.device("cuda", index) if torch.cuda.is_available() else torch.device("cpu")

# case: suppressed
import torch

x = torch.ones(3)
print(torch.ones(3).to(0).sum().item())  # devicefix: ignore[DFX208]

# case: the program compiles CUDA kernels of its own
# reports: DFX212
import torch
from torch.utils.cpp_extension import load

scan = load(name="scan", sources=["scan.cu"])
scan.forward(torch.ones(3, device=0))

# case: one of several accelerators that are not of CUDA
import torch


def devices(kind, count):
    if kind == "mps":
        return [torch.device("mps", i) for i in range(count)]
    return [torch.device("xpu", i) for i in range(count)]

