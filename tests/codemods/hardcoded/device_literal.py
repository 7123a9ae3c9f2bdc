# case: a definition
import torch

device = torch.device("cuda")
model = torch.nn.Linear(3, 1).to(device)
print(model(torch.ones(2, 3, device=device)).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
print(model(torch.ones(2, 3, device=device)).shape)

# case: a string as a definition, with an index and single quotes
import torch as th

DEVICE = 'cuda:0'  # or 'cpu'
model = th.nn.Linear(3, 1).to(DEVICE)
print(model(th.ones(2, 3).to(DEVICE)).shape)

# output
import torch as th

DEVICE = 'cuda:0' if th.cuda.is_available() else 'cpu'  # or 'cpu'
model = th.nn.Linear(3, 1).to(DEVICE)
print(model(th.ones(2, 3).to(DEVICE)).shape)

# case: transfers beside a device that is in scope
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to("cuda")
x = torch.ones(2, 3).to(device="cuda:0", non_blocking=True)
print(model(x).shape, model(torch.zeros(1, 3, device="cuda")).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3).to(device=device, non_blocking=True)
print(model(x).shape, model(torch.zeros(1, 3, device=device)).shape)

# case: nothing names a device yet
import torch
from torch import nn

model = nn.Linear(3, 1).to("cuda")
x = torch.ones(
    2,
    3,
    device="cuda",  # where the model is
)
print(model(x).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(3, 1).to(device)
x = torch.ones(
    2,
    3,
    device=device,  # where the model is
)
print(model(x).shape)

# case: an attribute of a trainer
import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.device = torch.device("cuda:0")
        self.model = model.to(self.device)

    def score(self, batch):
        return self.model(batch.to(self.device)).mean().item()


print(Trainer(nn.Linear(4, 2)).score(torch.rand(3, 4)))

# output
import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)

    def score(self, batch):
        return self.model(batch.to(self.device)).mean().item()


print(Trainer(nn.Linear(4, 2)).score(torch.rand(3, 4)))

# case: where a checkpoint is loaded
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2)
model.load_state_dict(torch.load("model.pt", map_location="cuda"))
model.to(device)
print(model(torch.rand(1, 2, device=device)).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2)
model.load_state_dict(torch.load("model.pt", map_location=device))
model.to(device)
print(model(torch.rand(1, 2, device=device)).sum().item())

# case: an annotated definition, and another name for torch.device
import torch
from torch import device as dev

device: torch.device = torch.device("cuda")
other = dev("cuda")
print((torch.ones(3, device=device) + torch.ones(3, device=other)).sum().item())

# output
import torch
from torch import device as dev

device: torch.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
other = dev("cuda" if torch.cuda.is_available() else "cpu")
print((torch.ones(3, device=device) + torch.ones(3, device=other)).sum().item())

# case: comments, brackets and semicolons
import torch
device = torch.device(  # the GPU
    "cuda"
)
x = torch.ones(3, device=device); y = x.to("cuda"); z = y.to('cuda', torch.float32) ; print(z.sum().item())

# output
import torch
device = torch.device(  # the GPU
    "cuda" if torch.cuda.is_available() else "cpu"
)
x = torch.ones(3, device=device); y = x.to(device); z = y.to(device, torch.float32) ; print(z.sum().item())

# case: a comparison
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
if device.type == "cuda" or str(x.device).startswith("cuda"):
    print(torch.cuda.get_device_name(0))
assert x.device.type in ("cpu", "cuda")

# case: autocast and its scaler
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
scaler = torch.amp.GradScaler("cuda", enabled=device.type == "cuda")
with torch.autocast("cuda", enabled=device.type == "cuda"):
    print(model(torch.ones(2, 3, device=device)).shape)
with torch.autocast(device_type="cuda", dtype=torch.float16, enabled=False):
    pass

# case: the default of an option
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="cuda or cpu")
args = parser.parse_args()
model = torch.nn.Linear(3, 1).to(args.device)
print(model(torch.ones(2, 3, device=args.device)).shape)

# output
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=["cuda", "cpu"], help="cuda or cpu")
args = parser.parse_args()
model = torch.nn.Linear(3, 1).to(args.device)
print(model(torch.ones(2, 3, device=args.device)).shape)

# case: below conditions that ask for data, not for devices
import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.state = None

    def forward(self, x):
        if self.training:
            x = x + torch.rand(3, device="cuda")
        if self.state is None:
            self.state = torch.zeros(3, device="cuda")
        return self.fc(x) + self.state


model = Noisy().to("cuda")
x = torch.ones(2, 3)
total = None
for _ in range(2):
    total = x.to("cuda") if total is None else total + x.to("cuda")
if not torch.isnan(total).any() and x.shape[0] > 1:
    total = total + torch.ones(3, device="cuda")
print(model(total).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.state = None

    def forward(self, x):
        if self.training:
            x = x + torch.rand(3, device=x.device)
        if self.state is None:
            self.state = torch.zeros(3, device=x.device)
        return self.fc(x) + self.state


model = Noisy().to(device)
x = torch.ones(2, 3)
total = None
for _ in range(2):
    total = x.to(device) if total is None else total + x.to(device)
if not torch.isnan(total).any() and x.shape[0] > 1:
    total = total + torch.ones(3, device=device)
print(model(total).shape)

# case: below an option, and where a tensor is asked for its place
import torch

ON_GPU = False
x = torch.ones(3)
if ON_GPU:
    x = x.to("cuda")
if x.device.type != "cpu":
    x = x + torch.ones(3, device="cuda")
print(x)

# case: chosen by a condition
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
print(torch.ones(2, 3, device=device).sum().item())

# case: chosen by statements
import torch

if torch.backends.mps.is_available():
    device = torch.device("mps")
elif torch.cuda.is_available():
    device = torch.device("cuda:0")
else:
    device = torch.device("cpu")
print(torch.ones(2, 3, device=device).sum().item())

# case: chosen by an option of the user
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if args.gpu else "cpu")
print(torch.ones(2, 3, device=device).sum().item())

# case: used below a condition
import torch

x = torch.ones(2, 3)
if torch.cuda.is_available():
    y = x.to("cuda") + torch.ones(3, device="cuda")
    print(y.sum().item())

# case: the type and the index of a device
import os

import torch

local_rank = int(os.environ.get("LOCAL_RANK", 0))
device = torch.device("cuda", local_rank) if torch.cuda.is_available() else torch.device("cpu")
print(torch.ones(3).to(device).sum().item())

# case: an index keeps its meaning
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
print(x.to("cuda:1").sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
print(x.to("cuda:1" if torch.cuda.is_available() else "cpu").sum().item())

# case: the name in scope is another accelerator
import torch

device = torch.device("cuda:1" if torch.cuda.is_available() else "cpu")
x = torch.ones(3).to("cuda:0")
print(x.sum().item(), torch.ones(3, device=device).sum().item())

# output
import torch

device = torch.device("cuda:1" if torch.cuda.is_available() else "cpu")
x = torch.ones(3).to("cuda:0" if torch.cuda.is_available() else "cpu")
print(x.sum().item(), torch.ones(3, device=device).sum().item())

# case: another accelerator is the current one
import torch

torch.cuda.set_device(1)
x = torch.ones(3).to("cuda:0")
y = torch.ones(3).to("cuda")
print(x.sum().item(), y.sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

if torch.cuda.is_available():
    torch.cuda.set_device(1)
x = torch.ones(3).to("cuda:0" if torch.cuda.is_available() else "cpu")
y = torch.ones(3).to(device)
print(x.sum().item(), y.sum().item())

# case: the default of a parameter
import torch
from torch import nn


def fit(model, steps, device='cuda'):
    model.to(device)
    for step in range(steps):
        model(torch.ones(3, device=device)).sum().backward()


fit(nn.Linear(3, 1), 2)

# output
import torch
from torch import nn


def fit(model, steps, device='cuda' if torch.cuda.is_available() else 'cpu'):
    model.to(device)
    for step in range(steps):
        model(torch.ones(3, device=device)).sum().backward()


fit(nn.Linear(3, 1), 2)

# case: the default of a parameter, of a function that nobody calls
import torch
from lib import Features


class Score:
    def __init__(self, sampler, device="cuda", name="cuda"):
        self.sampler = sampler
        self.name = name
        self.features = Features().to(device)

# output
import torch
from lib import Features


class Score:
    def __init__(self, sampler, device="cuda" if torch.cuda.is_available() else "cpu", name="cuda"):
        self.sampler = sampler
        self.name = name
        self.features = Features().to(device)

# case: a worker is told which one it gets
# reports: DFX203
import torch
from torch.distributed import rpc


def launch(shard, args):
    return rpc.remote("worker1", shard, args=("cuda:0",) + args)

# case: a tuple of names that is asked, and one that is kept
import torch

NAMES = ("cuda:0", "cuda:1")


def knows(name):
    return name in ("cuda:0", "cpu") or name in NAMES

# case: in the main block
import torch

if __name__ == "__main__":
    print(torch.ones(3, device="cuda").sum().item())

# output
import torch

if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(torch.ones(3, device=device).sum().item())

# case: another accelerator
import torch

print(torch.ones(3, device='mps').sum().item())

# output
import torch

print(torch.ones(3, device='mps' if torch.backends.mps.is_available() else 'cpu').sum().item())

# case: a default that nobody uses as a device
import torch


def describe(backend="cuda"):
    return f"built for {backend}"


print(describe(), torch.ones(3).sum().item())

# case: a configuration that chose by the machine
import torch

CONFIG = {"device": "cuda" if torch.cuda.is_available() else "cpu"}
print(torch.ones(3, device=CONFIG["device"]).sum().item())

# case: a word like any other
import torch

BACKENDS = {"cuda": "NVIDIA", "mps": "Apple"}
print("cuda", BACKENDS["cuda"], BACKENDS.get("mps"), torch.ones(1).item())
log = open("log.txt", "w")
log.write("cuda")

# case: a sensor
import torch


class Sensor:
    def __init__(self, device):
        self.device = device

    def to(self, place):
        return self.device + place


print(Sensor(device="cuda").to("cuda:0"), torch.ones(1).item())

# case: the program compiles CUDA kernels of its own
# reports: DFX212
import torch
from torch.utils.cpp_extension import load_inline

kernels = load_inline(name="kernels", cpp_sources="", cuda_sources="", functions=["scan"])
device = torch.device("cuda")
print(kernels.scan(torch.ones(3, device=device)))

# case: a device that is only compared with
import torch


def get_device(device):
    device = torch.device(device)
    if device.type == torch.device("cuda").type and not torch.cuda.is_available():
        return torch.device("cpu")
    return device

# case: an option that a function gets
import argparse

import torch
from torch import nn


def train(net, device):
    return net.to(device)(torch.ones(3, device=device)).sum().item()


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", help="where to run")
parser.add_argument("--backend", default="cuda", help="what to write into the report")
args = parser.parse_args()
print(train(nn.Linear(3, 1), args.device), args.backend)

# output
import argparse

import torch
from torch import nn


def train(net, device):
    return net.to(device)(torch.ones(3, device=device)).sum().item()


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="where to run")
parser.add_argument("--backend", default="cuda", help="what to write into the report")
args = parser.parse_args()
print(train(nn.Linear(3, 1), args.device), args.backend)

# case: an option that may be CUDA
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", choices=["cuda", "cpu"], required=True)
args = parser.parse_args()
print(torch.ones(3, device=args.device).sum().item())

# case: a default for the host
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu", help="or cuda")
args = parser.parse_args()
print(torch.ones(3, device=args.device).sum().item())

# case: a string that is put together
import sys

import torch
from torch import nn

number = len(sys.argv) - 1
place = "cuda:{}".format(number)
net = nn.Linear(3, 1).to(place)
net.load_state_dict(torch.load("net.pt", map_location="cuda:%d" % number))
print(net(torch.ones(3).to(f'cuda:{number}')).item(), f"cuda:{number}")

# output
import sys

import torch
from torch import nn

number = len(sys.argv) - 1
place = "cuda:{}".format(number) if torch.cuda.is_available() else "cpu"
net = nn.Linear(3, 1).to(place)
net.load_state_dict(torch.load("net.pt", map_location="cuda:%d" % number if torch.cuda.is_available() else "cpu"))
print(net(torch.ones(3).to(f'cuda:{number}' if torch.cuda.is_available() else 'cpu')).item(), f"cuda:{number}")

# case: below a question about a file
import os

import torch

if os.path.isfile("net.pt"):
    weights = torch.load("net.pt", map_location="cuda:0")
    print(sorted(weights))

# output
import os

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

if os.path.isfile("net.pt"):
    weights = torch.load("net.pt", map_location=device)
    print(sorted(weights))

# case: below a question that somebody asked before
import torch


def place(x, use_gpu):
    if use_gpu:
        return x.to("cuda")
    return x


print(place(torch.ones(3), torch.cuda.is_available()).sum().item())

# case: a number in a text
import torch

for number in range(2):
    print(f"cuda:{number}", "cuda:%d" % number, torch.ones(3).sum().item())

# case: what is taken where there is no option
import torch


def evaluate(model, batches, options):
    device = options.get("device", "cuda")
    print(options.get("mode", "cuda"))
    for x in batches:
        x = x.to(device)
        print(model(x))

# output
import torch


def evaluate(model, batches, options):
    device = options.get("device", "cuda" if torch.cuda.is_available() else "cpu")
    print(options.get("mode", "cuda"))
    for x in batches:
        x = x.to(device)
        print(model(x))

# case: an option that is no device
import torch


def describe(options, x):
    mode = options.get("mode", "cuda")
    print(mode.upper(), getattr(options, "name", "cuda"), x.sum().item())

# case: an option that is read before the cards are chosen
# reports: DFX203
import argparse
import os

import torch

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    print(torch.zeros(2).to(args.device))

# case: one of several devices, which are told apart
# reports: DFX203
import torch

devices = [cpu, gpu] = [torch.device("cpu"), torch.device("cuda")]


def check(device):
    if not torch.cuda.is_available() and device == gpu:
        return
    print(torch.ones(3, device=device).sum().item())


for device in devices:
    check(device)

# case: what is evaluated where work is only sent away, and where it is done
# reports: DFX203
import ray
import torch

place = torch.device("cuda")


@ray.remote
def train(steps, device="cuda"):
    here = torch.device("cuda")
    net = torch.nn.Linear(3, 1).to(here)
    return steps, device, net(torch.ones(2, 3, device=here)).sum().item()


print(ray.get(train.remote(3)), place)

# output
import ray
import torch

place = torch.device("cuda")


@ray.remote
def train(steps, device="cuda"):
    here = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(3, 1).to(here)
    return steps, device, net(torch.ones(2, 3, device=here)).sum().item()


print(ray.get(train.remote(3)), place)

# case: several strings in a function of a library
import torch


def spread(n, steps):
    total = torch.zeros(n, device="cuda")
    for _ in range(steps):
        total = total + 1
    print(torch.ones(n).to("cuda").sum())
    return total


def ranks(n):
    first = torch.arange(n, device="cuda")
    print(first)
    return torch.randperm(n).cuda()


def one(n):
    return torch.zeros(n, device="cuda")

# output
import torch


def spread(n, steps):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    total = torch.zeros(n, device=device)
    for _ in range(steps):
        total = total + 1
    print(torch.ones(n).to(device).sum())
    return total


def ranks(n):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    first = torch.arange(n, device=device)
    print(first)
    return torch.randperm(n).to(device)


def one(n):
    return torch.zeros(n, device="cuda" if torch.cuda.is_available() else "cpu")

# case: a process of a class of its own is forked before the parent uses CUDA
# reports: DFX203
import torch
import torch.multiprocessing as mp


class Worker(mp.Process):
    def run(self):
        print(torch.ones(3).to(DEVICE).sum())


DEVICE = "cuda"
Worker().start()

# case: a pool that does not touch the device
from multiprocessing import Pool

import torch


def square(number):
    return number * number


with Pool(2) as pool:
    print(pool.map(square, [1, 2]))
net = torch.nn.Linear(3, 1).to("cuda")
print(net(torch.ones(2, 3).to("cuda")).sum().item())

# output
from multiprocessing import Pool

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def square(number):
    return number * number


with Pool(2) as pool:
    print(pool.map(square, [1, 2]))
net = torch.nn.Linear(3, 1).to(device)
print(net(torch.ones(2, 3).to(device)).sum().item())

# case: the parent asks for CUDA anyway
from multiprocessing import Process

import torch


def work(number):
    print(torch.ones(3, device="cuda").sum(), number)


print(torch.cuda.is_available())
DEVICE = "cuda"
print(torch.ones(3, device=DEVICE))
Process(target=work, args=(0,)).start()

# output
from multiprocessing import Process

import torch


def work(number):
    print(torch.ones(3, device=DEVICE).sum(), number)


print(torch.cuda.is_available())
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
print(torch.ones(3, device=DEVICE))
Process(target=work, args=(0,)).start()

# case: a parser that is made where the work is sent from
# reports: DFX203
import argparse

import submitit
import torch


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    return parser


class Trainer:
    def __init__(self, args):
        self.args = args

    def __call__(self):
        return torch.nn.Linear(3, 2).to(self.args.device)


def main():
    args = options().parse_args()
    print(submitit.AutoExecutor(folder="logs").submit(Trainer(args)))


main()

# case: what is forked by hand goes on with all that follows
# reports: DFX203
import os

import torch

DEVICE = "cuda"
if os.fork() == 0:
    print(torch.ones(3).to(DEVICE).sum())

# case: below a condition about a tensor
import torch


def pad(data, limit):
    tensor = torch.ByteTensor(data).to("cuda")
    size = torch.IntTensor([tensor.numel()]).to("cuda")
    if size != limit:
        tensor = torch.cat((tensor, torch.ByteTensor(size=(limit - size,)).to("cuda")), 0)
    return tensor

# output
import torch


def pad(data, limit):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tensor = torch.ByteTensor(data).to(device)
    size = torch.IntTensor([tensor.numel()]).to(device)
    if size != limit:
        tensor = torch.cat((tensor, torch.ByteTensor(size=(limit - size,)).to(tensor.device)), 0)
    return tensor

# case: below a condition that may be about devices
import torch


def pad(data, count, limit):
    if count != limit:
        data = torch.cat((data, torch.ByteTensor(size=(limit - count,)).to("cuda")), 0)
    return data

# case: both branches go to CUDA: the condition asks about something else
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--mixing", action="store_true")
args = parser.parse_args()
net = nn.Linear(8, 1).to("cuda")
if args.mixing:
    a, b = torch.ones(2, 4, 8, device="cuda").chunk(2, 0)
    code = a + b
else:
    code = torch.ones(4, 8, device="cuda")
print(net(code).shape)

# output
import argparse

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

parser = argparse.ArgumentParser()
parser.add_argument("--mixing", action="store_true")
args = parser.parse_args()
net = nn.Linear(8, 1).to(device)
if args.mixing:
    a, b = torch.ones(2, 4, 8, device=device).chunk(2, 0)
    code = a + b
else:
    code = torch.ones(4, 8, device=device)
print(net(code).shape)

# case: one branch goes to CUDA: the condition may ask for it
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--mixing", action="store_true")
args = parser.parse_args()
if args.mixing:
    code = torch.ones(4, 8, device="cuda")
else:
    code = torch.ones(4, 8)
print(code.shape)

# case: tests that do not run without CUDA
import unittest

import torch

TEST_CUDA = torch.cuda.is_available()


def build(test, device):
    net = torch.nn.Linear(3, 1).to(device)
    test.assertEqual(len(net(torch.ones(2, 3).to(device))), 2)


class TestBuild(unittest.TestCase):
    def test_cpu(self):
        build(self, "cpu")

    @unittest.skipIf(not TEST_CUDA, "no CUDA detected")
    def test_cuda(self):
        build(self, "cuda")

    @unittest.skipUnless(torch.cuda.is_available(), "no CUDA detected")
    def test_cuda_again(self):
        build(self, "cuda")

# case: nothing follows itself
import torch


def attend(q, k):
    out = torch.zeros_like(q, requires_grad=True)
    low = torch.zeros(q.shape[:-1])
    out = out.to(device="cuda")
    low = low.to("cuda")
    return out + q @ k, low + q.sum(-1)

# output
import torch


def attend(q, k):
    out = torch.zeros_like(q, requires_grad=True)
    low = torch.zeros(q.shape[:-1])
    out = out.to(device=q.device)
    low = low.to(q.device)
    return out + q @ k, low + q.sum(-1)

# case: a device that a function names for what meets its tensor
import torch


def spread(x, k):
    count = x.size(0)
    points = x.view(count, -1)
    device = torch.device("cuda")
    offsets = torch.arange(count, device=device).view(-1, 1) * k
    mask = torch.ones(count, 1).to(device)
    return points * mask + offsets


def shifted(x):
    return x.unsqueeze(0) + torch.arange(3, device=torch.device("cuda"))

# output
import torch


def spread(x, k):
    count = x.size(0)
    points = x.view(count, -1)
    device = x.device
    offsets = torch.arange(count, device=device).view(-1, 1) * k
    mask = torch.ones(count, 1).to(device)
    return points * mask + offsets


def shifted(x):
    return x.unsqueeze(0) + torch.arange(3, device=x.device)

# case: a device that a function names for what meets nothing, and hands on
import torch


def spread(x, k, place):
    points = x.unsqueeze(0)
    device = torch.device("cuda")
    here = torch.device("cuda")
    place(here)
    return points, torch.arange(k, device=device), torch.ones(k, device=here) + points

# output
import torch


def spread(x, k, place):
    points = x.unsqueeze(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    here = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    place(here)
    return points, torch.arange(k, device=device), torch.ones(k, device=here) + points

# case: a device that a function names where it has asked for it
import torch


def spread(x, k):
    points = x.unsqueeze(0)
    if torch.cuda.is_available():
        device = torch.device("cuda")
        return points.cpu() + torch.arange(k, device=device).cpu()
    return points + torch.arange(k)

# case: all tests of the file are skipped without CUDA
import pytest
import torch

available = torch.cuda.is_available()
pytestmark = pytest.mark.skipif(not available, reason="needs CUDA")
DEVICE = "cuda"


def test_sum():
    assert torch.ones(3, device=DEVICE).sum() == 3

# case: one of several marks
import pytest
import torch

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not torch.cuda.is_available(), reason="slow")]
DEVICE = "cuda"


def test_sum():
    assert torch.ones(3, device=DEVICE).sum() == 3

# case: the mark asks something else
import sys

import pytest
import torch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="slow there")
DEVICE = "cuda"


def test_sum():
    assert torch.ones(3, device=DEVICE).sum() == 3

# output
import sys

import pytest
import torch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="slow there")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def test_sum():
    assert torch.ones(3, device=DEVICE).sum() == 3

# case: a default that every call which was found gives
# reports: DFX203
import torch


def prepare(kind="cuda"):
    return torch.device(kind)


device = prepare("cuda" if torch.cuda.is_available() else "cpu")
print(torch.ones(3, device=device))

# case: a default of a class that every call gives by its keyword
# reports: DFX203
import torch


class Score:
    def __init__(self, size, device="cuda"):
        self.ones = torch.ones(size, device=device)


print(Score(3, device=torch.device("cpu")).ones)

# case: a default that one call of two uses
import torch


def prepare(kind="cuda"):
    return torch.ones(2, device=kind).sum().item()


print(prepare("cpu"), prepare())

# output
import torch


def prepare(kind="cuda" if torch.cuda.is_available() else "cpu"):
    return torch.ones(2, device=kind).sum().item()


print(prepare("cpu"), prepare())

# case: a function that imports torch itself, in a file that works without it
import numpy as np


def mean(x):
    return np.mean(x)


def zeros(n):
    import torch

    return torch.zeros(n, device="cuda")

# output
import numpy as np


def mean(x):
    return np.mean(x)


def zeros(n):
    import torch

    return torch.zeros(n, device="cuda" if torch.cuda.is_available() else "cpu")

# case: a function that imports parts of torch, in a file that works without it
# reports: DFX203
import numpy as np


def mean(x):
    return np.mean(x)


def zeros(n):
    from torch import zeros as made

    return made(n, device="cuda")

# case: a string that the object keeps for its devices names one in a method, too
import torch


class Sampler:
    def __init__(self, unet, scheduler):
        self.unet = unet
        self.scheduler = scheduler
        self.device = 'cuda'

    @torch.no_grad()
    def run(self, size, steps):
        latents = torch.randn((1, 4, size[0] // 8, size[1] // 8)).to("cuda")
        self.scheduler.set_timesteps(steps)
        for t in self.scheduler.timesteps:
            latents = self.unet(latents, t.to(self.device))
        return latents

# output
import torch


class Sampler:
    def __init__(self, unet, scheduler):
        self.unet = unet
        self.scheduler = scheduler
        self.device = 'cuda' if torch.cuda.is_available() else 'cpu'

    @torch.no_grad()
    def run(self, size, steps):
        latents = torch.randn((1, 4, size[0] // 8, size[1] // 8)).to(self.device)
        self.scheduler.set_timesteps(steps)
        for t in self.scheduler.timesteps:
            latents = self.unet(latents, t.to(self.device))
        return latents

# case: a string that nothing uses as a device names none
import torch


class Timer:
    def __init__(self, events):
        self.kind = "cuda"
        self.events = events

    def total(self):
        x = torch.zeros(3)
        return x.sum() + sum(e.time for e in self.events if e.kind == self.kind)

# case: a class that is only defined for CUDA
import os

import torch

MODE = os.environ.get("MODE", "cpu")

if MODE == "cuda":

    class Add(torch.autograd.Function):
        @staticmethod
        def forward(ctx, w, u):
            y = torch.empty(w.shape, device="cuda")
            return y.copy_(w + u)

else:

    class Add(torch.autograd.Function):
        @staticmethod
        def forward(ctx, w, u):
            return w + u


print(Add.apply(torch.ones(2), torch.ones(2)))

# case: a library that takes the name of a device
import torch
from ignite import engine
from transformers import pipeline

model = torch.nn.Linear(3, 1)
trainer = engine.create_supervised_trainer(model, None, torch.nn.MSELoss(), device="cuda")
tagger = pipeline("ner", device="cuda:0")

# output
import torch
from ignite import engine
from transformers import pipeline

model = torch.nn.Linear(3, 1)
trainer = engine.create_supervised_trainer(model, None, torch.nn.MSELoss(), device="cuda" if torch.cuda.is_available() else "cpu")
tagger = pipeline("ner", device="cuda:0" if torch.cuda.is_available() else "cpu")

# case: a library of which nothing is known
# reports: DFX203
import torch
from laboratory import Bench

bench = Bench(torch.nn.Linear(3, 1), device="cuda")
bench.start()

# case: a library of which nothing is known is given what is no device
import torch
from laboratory import Bench

bench = Bench(torch.nn.Linear(3, 1), title="cuda")
bench.start()

# case: other keywords of a library that takes the name of a device, and a choice that asks
import torch
from transformers import pipeline

tagger = pipeline("ner", model="cuda", device="cuda" if torch.cuda.is_available() else "cpu")
everywhere = pipeline("ner", device_map="auto", device=None)

# case: torch is what the file calls another module
# reports: DFX203
import candle as torch
import whisper

model = whisper.load_model("base", device="cuda")
print(model, torch.zeros(3))

# case: an unsafe fix elsewhere does not bring the name of the main block to the top
# reports: DFX101
import torch
from torch import nn

from somewhere import Layer


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.layer = Layer()

    def forward(self, x):
        return self.layer(self.fc(x))


def net():
    return Net()


def check(x):
    print(net()(x))


if __name__ == "__main__":
    x = torch.rand(2, 3).to("cuda:0")
    model = nn.Linear(3, 3).to("cuda:0")
    print(model(x))
    check(x)

# output
import torch
from torch import nn

from somewhere import Layer


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.layer = Layer()

    def forward(self, x):
        return self.layer(self.fc(x))


def net():
    return Net()


def check(x):
    print(net()(x))


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.rand(2, 3).to(device)
    model = nn.Linear(3, 3).to(device)
    print(model(x))
    check(x)

# case: a main block has its device already
import torch
from torch import nn

if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(nn.Linear(3, 3).to(device)(torch.rand(2, 3).to(device)))

# case: beside a model whose move rests on code that nobody has seen
# reports: DFX101 DFX103
import torch
from somewhere import Trainer
from torch import nn


class Regularizer(nn.Module):
    def __init__(self, count=16):
        super().__init__()
        self.count = count

    def forward(self, x):
        directions = torch.randn(x.size(-1), self.count, device="cuda")
        directions = directions.div_(directions.norm(p=2, dim=0))
        return (x @ directions).square().mean()


def run(config):
    encoder = nn.Linear(4, 3)
    print(encoder(torch.zeros(1, 4)))
    return Trainer(encoder, Regularizer(**config))


if __name__ == "__main__":
    run({"count": 8})

# output
import torch
from somewhere import Trainer
from torch import nn


class Regularizer(nn.Module):
    def __init__(self, count=16):
        super().__init__()
        self.count = count

    def forward(self, x):
        directions = torch.randn(x.size(-1), self.count, device=x.device)
        directions = directions.div_(directions.norm(p=2, dim=0))
        return (x @ directions).square().mean()


def run(config):
    encoder = nn.Linear(4, 3)
    print(encoder(torch.zeros(1, 4)))
    return Trainer(encoder, Regularizer(**config))


if __name__ == "__main__":
    run({"count": 8})

# case: devices that a loop numbers, and one beside them
# reports: DFX203
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(3, 3) for _ in range(4))
        self.head = nn.Linear(3, 1)

    def parallelize(self, numbers):
        last = "cuda:" + str(max(numbers))
        for number, blocks in numbers.items():
            for block in blocks:
                self.blocks[block] = self.blocks[block].to("cuda:" + str(number))
        self.head = self.head.to(last)
