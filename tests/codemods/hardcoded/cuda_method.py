# case: a script of 2017
import torch
import torch.nn as nn
import torch.optim as optim

net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2)).cuda()
criterion = nn.CrossEntropyLoss().cuda()
optimizer = optim.SGD(net.parameters(), lr=0.01)

inputs = torch.randn(4, 10).cuda()
labels = torch.LongTensor([0, 1, 1, 0]).cuda()
for epoch in range(3):
    optimizer.zero_grad()
    loss = criterion(net(inputs), labels)
    loss.backward()
    optimizer.step()
    print(loss.item())

# output
import torch
import torch.nn as nn
import torch.optim as optim

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2)).to(device)
criterion = nn.CrossEntropyLoss().to(device)
optimizer = optim.SGD(net.parameters(), lr=0.01)

inputs = torch.randn(4, 10).to(device)
labels = torch.LongTensor([0, 1, 1, 0]).to(device)
for epoch in range(3):
    optimizer.zero_grad()
    loss = criterion(net(inputs), labels)
    loss.backward()
    optimizer.step()
    print(loss.item())

# case: the name that is in scope, index 0 and non_blocking
import torch
from torch.utils.data import DataLoader, TensorDataset

dev = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 1).cuda(0)
dataset = TensorDataset(torch.randn(64, 8), torch.randn(64, 1))
loader = DataLoader(dataset, batch_size=8, pin_memory=True)
for x, y in loader:
    x = x.cuda(non_blocking=True)
    y = y.cuda(0, non_blocking=True)
    print((model(x) - y).abs().mean().item())

# output
import torch
from torch.utils.data import DataLoader, TensorDataset

dev = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 1).to(dev)
dataset = TensorDataset(torch.randn(64, 8), torch.randn(64, 1))
loader = DataLoader(dataset, batch_size=8, pin_memory=True)
for x, y in loader:
    x = x.to(dev, non_blocking=True)
    y = y.to(dev, non_blocking=True)
    print((model(x) - y).abs().mean().item())

# case: lists, comprehensions and nested calls
import torch as th

weights = [th.randn(3, 3).cuda(), th.zeros(3, 3).cuda()]
more = {name: th.ones(3, 3).cuda() for name in ("a", "b")}
moved = [w.cuda() for w in weights]
total = sum(moved) + (more["a"] + more["b"]).cuda()
print(th.stack([w.cuda() for w in moved]).sum().item(), total.mean().item())

# output
import torch as th

device = th.device("cuda" if th.cuda.is_available() else "cpu")

weights = [th.randn(3, 3).to(device), th.zeros(3, 3, device=device)]
more = {name: th.ones(3, 3, device=device) for name in ("a", "b")}
moved = [w.to(device) for w in weights]
total = sum(moved) + (more["a"] + more["b"])
print(th.stack([w.to(device) for w in moved]).sum().item(), total.mean().item())

# case: inside forward the device of the input
import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 5)

    def forward(self, x):
        mask = torch.tril(torch.ones(5, 5)).cuda()
        return self.linear(x) @ mask

# output
import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 5)

    def forward(self, x):
        mask = torch.tril(torch.ones(5, 5)).to(x.device)
        return self.linear(x) @ mask

# case: a chain over several lines, with comments and blanks
import torch
from torch import nn

model = (
    nn.Sequential(
        nn.Linear(4, 4),  # in
        nn.Linear(4, 2),  # out
    )
    .cuda()  # needs 2 GB
    .eval()
)
scores = model(torch.rand(3, 4).cuda (
    non_blocking = True,
))
print(scores.sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = (
    nn.Sequential(
        nn.Linear(4, 4),  # in
        nn.Linear(4, 2),  # out
    )
    .to(device)  # needs 2 GB
    .eval()
)
scores = model(torch.rand(3, 4).to(device, non_blocking=True))
print(scores.sum().item())

# case: semicolons, one-line bodies and tabs
import torch

def step(a, b):
	return (a @ b).sum()

def main():
	a = torch.randn(3, 3).cuda(); b = torch.randn(3, 3).cuda()
	for _ in range(2): a = (a + b).cuda()
	print(step(a, b).item())

main()

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def step(a, b):
	return (a @ b).sum()

def main():
	a = torch.randn(3, 3).to(device); b = torch.randn(3, 3).to(device)
	for _ in range(2): a = a + b
	print(step(a, b).item())

main()

# case: a guard that also does something else stays, with its moves
import torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 2)
x = torch.ones(1, 2)
if torch.cuda.is_available():
    torch.cuda.manual_seed(0)
    model.cuda()
    x = x.cuda()
print(model(x))

# case: a guard with an else
import torch

x = torch.rand(5)
if torch.cuda.is_available():
    x = x.cuda()
else:
    print("This will take a while.")
print(x.sum().item())

# case: the quotes that the file prefers
'''Scores a batch.'''
from __future__ import print_function

import torch

print('start')
x = torch.rand(2, 2).cuda()
print('trace', x.trace().item())

# output
'''Scores a batch.'''
from __future__ import print_function

import torch

device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')

print('start')
x = torch.rand(2, 2).to(device)
print('trace', x.trace().item())

# case: the device is given already
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).cuda(device)
x = torch.ones(2, 3).cuda(device=device, non_blocking=True)
print(model(x + torch.ones(3).cuda(None)).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
print(model(x + torch.ones(3, device=device)).sum().item())

# case: a device that nothing asks for is no name beside an option
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.nn.Linear(3, 1).to(args.device))
print(torch.zeros(3).cuda())

# output
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.nn.Linear(3, 1).to(args.device))
print(torch.zeros(3, device=args.device))

# case: a lambda, and `device` is something else
import torch

device = "sensor-1"
to_gpu = lambda t: t.cuda()
x = torch.ones(3).cuda()
print(f"{device}: {to_gpu(x).sum():.2f} {x.cuda().mean()}", to_gpu(torch.zeros(3)).sum().item())

# output
import torch

torch_device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

device = "sensor-1"
to_gpu = lambda t: t.to(torch_device)
x = torch.ones(3, device=torch_device)
print(f"{device}: {to_gpu(x).sum():.2f} {x.mean()}", to_gpu(torch.zeros(3)).sum().item())

# case: moved item by item
import torch

model = torch.nn.Linear(3, 1).cuda()
batch = {"x": torch.ones(2, 3), "key": "a"}
batch["x"] = batch["x"].cuda()
items = [torch.ones(2, 3) for _ in range(2)]
for i in range(len(items)):
    items[i] = items[i].cuda()
print(model(batch["x"]).sum().item(), model(items[0]).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 1).to(device)
batch = {"x": torch.ones(2, 3), "key": "a"}
batch["x"] = batch["x"].to(device)
items = [torch.ones(2, 3) for _ in range(2)]
for i in range(len(items)):
    items[i] = items[i].to(device)
print(model(batch["x"]).sum().item(), model(items[0]).sum().item())

# case: the file has no name for torch
from torch import nn, randn

net = nn.Linear(3, 1).cuda()
print(net(randn(2, 3).cuda()).shape)

# output
import torch
from torch import nn, randn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 1).to(device)
print(net(randn(2, 3).to(device)).shape)

# case: a class of the program with a method of that name
import torch


class Car:
    def __init__(self):
        self.colour = torch.rand(3)

    def cuda(self, year=1970):
        """Plymouth."""
        return year


print(Car().cuda(), [Car().cuda(1971) for _ in range(2)])

# case: the name is only mentioned
import torch

move = torch.nn.Module.cuda
print("call model.cuda() first", torch.cuda.is_available(), torch.version.cuda)
if torch.cuda.is_available():
    torch.cuda.empty_cache()
# x = x.cuda()

# case: source code in a string
import torch

TEMPLATE = """
import torch
model = {name}().cuda()
x = torch.zeros(1, 3).cuda()
"""
print(TEMPLATE.format(name="Net"), f"{torch.__version__}: x.cuda()")

# case: the device is named already
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.randn(2, 3, device=device)
print(model(x).sum().item())

# case: an index that all calls share
import torch

a = torch.rand(3).cuda(1)
b = torch.ones(3).cuda(device=1)
print((a + b).sum().item())

# output
import torch

device = torch.device("cuda:1" if torch.cuda.is_available() else "cpu")

a = torch.rand(3).to(device)
b = torch.ones(3, device=device)
print((a + b).sum().item())

# case: the index is 0, or a device of the program
import torch

gpu = 0
target = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
print((torch.ones(3).cuda(gpu) + torch.ones(3).cuda(target)).sum().item())

# output
import torch

gpu = 0
target = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
print((torch.ones(3, device=target) + torch.ones(3, device=target)).sum().item())

# case: two indices
# reports: DFX201
import torch

a = torch.rand(3).cuda(1)
b = torch.rand(3).cuda(2)
print(a.sum().item() + b.sum().item())

# case: an index that is computed
# reports: DFX201
import torch

for rank in range(4):
    print(torch.rand(3).cuda(rank % 2).sum().item())

# case: an index below a condition of its own
# reports: DFX201
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu")
args = parser.parse_args()
x = torch.ones(3)
if args.gpu:
    x = x.cuda(args.gpu)
print(x.sum().item())

# case: an index that a function is given
# reports: DFX201
import torch


def send(batch, gpu):
    return [part.cuda(gpu) for part in batch["parts"]]

# case: the program compiles CUDA kernels of its own
# reports: DFX212
import torch
from torch.utils.cpp_extension import load

kernels = load(name="kernels", sources=["kernels.cu"])
x = torch.rand(100).cuda()
print(kernels.scan(x).sum().item())

# case: a library function that nobody tells the device
import torch


def to_gpu(thing):
    return thing.cuda()


def is_ready():
    return torch.cuda.is_available()

# output
import torch


def to_gpu(thing):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return thing.to(device)


def is_ready():
    return torch.cuda.is_available()

# case: an option gives the index, by whatever name it comes
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args([])


class Net(nn.Module):
    def __init__(self, gpu):
        super().__init__()
        self.gpu = gpu
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x) * torch.ones(3).cuda(self.gpu)


def total(net, index):
    return net(torch.ones(2, 3).cuda(index)).sum().item()


print(total(Net(args.gpu).cuda(args.gpu), args.gpu))

# output
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args([])
device = torch.device(f"cuda:{args.gpu}" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, gpu):
        super().__init__()
        self.gpu = gpu
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x) * torch.ones(3, device=x.device)


def total(net, index):
    return net(torch.ones(2, 3, device=device)).sum().item()


print(total(Net(args.gpu).to(device), args.gpu))

# case: the program has put the option into a device
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args([])

place = "cuda:%d" % args.gpu if torch.cuda.is_available() else "cpu"


def total(x, index):
    return nn.Linear(3, 3).cuda(index)(x).sum().item()


print(total(torch.ones(2, 3).to(place), args.gpu))

# output
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args([])

place = "cuda:%d" % args.gpu if torch.cuda.is_available() else "cpu"


def total(x, index):
    return nn.Linear(3, 3).to(place)(x).sum().item()


print(total(torch.ones(2, 3).to(place), args.gpu))

# case: two options
# reports: DFX201
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=0)
parser.add_argument("--other", type=int, default=0)
args = parser.parse_args([])


def total(net, index):
    return net(torch.ones(2, 3).cuda(index)).sum().item()


print(total(nn.Linear(3, 3).cuda(args.gpu), args.other))

# case: the device is another one
# reports: DFX201
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args([])

place = torch.device("cuda:1" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 3).to(place)
print(torch.ones(3).cuda(0).sum().item(), torch.ones(3).cuda(args.gpu).sum().item())

# case: the index is an option of the user
# reports: DFX201
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int)
args = parser.parse_args()
print(torch.ones(3).cuda(args.gpu).sum().item())

# case: a method that returns its argument moved
import torch


class Mover:
    def __call__(self, batch):
        images, labels = batch
        return images.cuda(), labels.cuda()

    def one(self, image: torch.Tensor):
        return image.cuda()

# output
import torch


class Mover:
    def __call__(self, batch):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        images, labels = batch
        return images.to(device), labels.to(device)

    def one(self, image: torch.Tensor):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return image.to(device)

# case: an object whose methods share a device
import torch
from torch import nn


class Predictor:
    def __init__(self, size):
        """Make the model."""
        self.net = nn.Linear(size, 1)
        self.net.cuda()

    def predict(self, rows):
        return self.net(torch.stack(rows).cuda())


def load():
    return Predictor(3)

# output
import torch
from torch import nn


class Predictor:
    def __init__(self, size):
        """Make the model."""
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = nn.Linear(size, 1)
        self.net.to(self.device)

    def predict(self, rows):
        return self.net(torch.stack(rows).to(self.device))


def load():
    return Predictor(3)

# case: a class that nobody is seen to make has no device of its own
import torch


class Normalizer:
    def __init__(self, x):
        self.mean = torch.mean(x, 0)
        self.std = torch.std(x, 0)

    def encode(self, x):
        return (x - self.mean) / self.std

    def decode(self, x, index):
        std = self.std[index]
        mean = self.mean[index]
        return (x * std) + mean

    def cuda(self):
        self.mean = self.mean.cuda()
        self.std = self.std.cuda()

    def cpu(self):
        self.mean = self.mean.cpu()
        self.std = self.std.cpu()

# output
import torch


class Normalizer:
    def __init__(self, x):
        self.mean = torch.mean(x, 0)
        self.std = torch.std(x, 0)

    def encode(self, x):
        return (x - self.mean) / self.std

    def decode(self, x, index):
        std = self.std[index]
        mean = self.mean[index]
        return (x * std) + mean

    def cuda(self):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.mean = self.mean.to(device)
        self.std = self.std.to(device)

    def cpu(self):
        self.mean = self.mean.cpu()
        self.std = self.std.cpu()

# case: the source of the expression is printed
# reports: DFX201
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
print(f"{x.cuda()=}")

# case: suppressed on its line
import torch

x = torch.rand(3).cuda()  # devicefix: ignore[DFX201]
print(x.sum().item())

# case: suppressed for the file
# devicefix: skip-file
import torch

x = torch.rand(3).cuda()
print(x.sum().item())

# case: what a package that is in no table made, shown to be torch's by what is done with it
# reports: DFX201
import torch
import zoo

net = zoo.Net().cuda()
optimizer = torch.optim.SGD(zoo.weights(net), lr=0.1)
print(net(torch.ones(2, 3).cuda()))
scores = zoo.scores().cuda()
scores.backward()
merged = torch.cat([zoo.mask().cuda(), zoo.edges().cuda().detach()])
print(torch.stack(zoo.edges().cuda()))
def shine():
    print(zoo.table.cuda())
    return zoo.Lamp().cuda().shine()

# output
import torch
import zoo

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = zoo.Net().to(device)
optimizer = torch.optim.SGD(zoo.weights(net), lr=0.1)
print(net(torch.ones(2, 3, device=device)))
scores = zoo.scores().to(device)
scores.backward()
merged = torch.cat([zoo.mask().to(device), zoo.edges().to(device).detach()])
print(torch.stack(zoo.edges().to(device)))
def shine():
    print(zoo.table.cuda())
    return zoo.Lamp().cuda().shine()

# case: half of a port, beside a move of what nothing shows to be torch's
# reports: DFX201
import torch
from garage import Car

net = torch.nn.Linear(3, 1).cuda()
cars = [car.cuda() for car in Car.all()]
print(net(torch.ones(2, 3).cuda()), cars)

# case: objects of a package that is in no table, and nothing shows what they are
# reports: DFX201
import torch
from garage import Car, Crane

car = Car("Barracuda").cuda()
for crane in Crane.all():
    print(crane.cuda().lift(car), torch.ones(2))

# case: another library's object
import cupy
import torch

with cupy.cuda.Device(0):
    print(torch.get_num_threads(), cupy.cuda.runtime.getDeviceCount())

# case: an option and a module of that name, neither of them called
import torch


class Options:
    cuda = False


print(Options.cuda, torch.cuda.device_count, torch.zeros(2).sum().item())

# case: a library that is told by a flag leaves what it is given where it is without
# reports: DFX201
import torch


def batches(samples, use_cuda):
    for sample in samples:
        batch = torch.stack(sample)
        if use_cuda:
            batch = batch.cuda()
        yield batch

# case: a function of one line has no room for a device
# reports: DFX201
import torch


def to_gpu(x): return torch.relu(x).cuda()

# case: a call in a comment
import torch


def move(x, device):
    # x.cuda() raises without CUDA
    return x.to(device)

# case: text that only looks like a call
import torch


def explain():
    """Call x.cuda() first."""
    return "x.cuda()", torch.__version__

# case: somebody reads about it
import torch

for line in ("model.cuda()", "x.cuda(non_blocking=True)"):
    print(line, torch.__version__)

# case: a method that is only named
import torch


def method(x):
    return x.cuda

# case: what a class body makes is made when the file is imported
import torch


class Constants:
    grey = torch.zeros(3).cuda()


def mean(n):
    weights = torch.ones(n).cuda()
    return weights.mean()

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Constants:
    grey = torch.zeros(3, device=device)


def mean(n):
    weights = torch.ones(n, device=device)
    return weights.mean()

# case: what a class body moves to one of several cards
# reports: DFX201
import torch


class Constants:
    grey = torch.zeros(3).cuda(1)

# case: the file that is imported chooses its cards
# reports: DFX201
import os

import torch


class Constants:
    grey = torch.zeros(3).cuda()


def choose(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(card)

# case: a move that is tried, and what is done where it fails
# reports: DFX201
import torch
from torch import nn

model = nn.Linear(2, 1)
try:
    model.cuda()
except (AssertionError, RuntimeError):
    print("no CUDA here")
try:
    torch.zeros(1).cuda()
    usable = True
except Exception:
    usable = False
print(usable, sum(p.numel() for p in model.parameters()))

# case: errors that are raised again, or have nothing to do with it, are no question
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1)
try:
    model.cuda()
except RuntimeError as error:
    print(error)
    raise
try:
    x = torch.ones(2).cuda()
except KeyboardInterrupt:
    print("stopped")
try:
    for step in range(2):
        y = model(torch.ones(2).cuda())
except Exception as error:
    print(error)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1)
try:
    model.to(device)
except RuntimeError as error:
    print(error)
    raise
try:
    x = torch.ones(2, device=device)
except KeyboardInterrupt:
    print("stopped")
try:
    for step in range(2):
        y = model(torch.ones(2, device=device))
except Exception as error:
    print(error)

# case: a library that makes its own choice, behind super().__init__()
import torch


class Scaler:
    def __init__(self, values):
        """Of these values."""
        super().__init__()
        self.values = values

    def scale(self, x):
        return torch.tensor(self.values).cuda() * torch.tensor(x).cuda()


def unit():
    return Scaler([1.0])


class Boxes(torch.nn.Module):
    def __init__(self, mean=None):
        super(Boxes, self).__init__()
        self.mean = torch.zeros(4).cuda() if mean is None else mean

# output
import torch


class Scaler:
    def __init__(self, values):
        """Of these values."""
        super().__init__()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.values = values

    def scale(self, x):
        return torch.tensor(self.values).to(self.device) * torch.tensor(x).to(self.device)


def unit():
    return Scaler([1.0])


class Boxes(torch.nn.Module):
    def __init__(self, mean=None):
        super(Boxes, self).__init__()
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.mean = torch.zeros(4, device=device) if mean is None else mean

# case: a sample of a dataset, which code that was not seen made a tensor of
import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset
from torchvision import transforms


class ToTensor:
    def __call__(self, sample):
        return {"image": torch.from_numpy(sample["image"])}


class Images(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __len__(self):
        return 3

    def __getitem__(self, index):
        sample = {"image": np.zeros((4, 4, 3), dtype=np.float32)}
        if self.transform:
            sample = self.transform(sample)
        return sample


net = nn.Conv2d(3, 4, 3).cuda()
for sample in Images(transforms.Compose([ToTensor()])):
    print(net(sample["image"].permute(2, 0, 1).cuda().unsqueeze(0)).sum().item())

# output
import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset
from torchvision import transforms

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class ToTensor:
    def __call__(self, sample):
        return {"image": torch.from_numpy(sample["image"])}


class Images(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __len__(self):
        return 3

    def __getitem__(self, index):
        sample = {"image": np.zeros((4, 4, 3), dtype=np.float32)}
        if self.transform:
            sample = self.transform(sample)
        return sample


net = nn.Conv2d(3, 4, 3).to(device)
for sample in Images(transforms.Compose([ToTensor()])):
    print(net(sample["image"].permute(2, 0, 1).to(device).unsqueeze(0)).sum().item())

# case: a tensor that is gone has been asked where it was
import torch


def ones(x):
    on_gpu = x.is_cuda
    x = torch.ones(x.size(0), 1)
    if on_gpu:
        x = x.cuda()
    return x.t() @ x

# case: a choice of places that has been made
import sys

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
if "--warm" in sys.argv:
    x = torch.ones(8, 3).to(device)
else:
    x = torch.ones(8, 3, device=device)
print(net(x).sum().item())

# case: a copy of DataParallel has no parameters to ask, and a dict has no device
# reports: DFX201
import mystery
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, data):
        if mystery.gpu():
            data["image"] = data["image"].cuda()
        return self.fc(data["image"])


class Trainer:
    def __init__(self):
        self.model = nn.DataParallel(Model()).cuda()

    def step(self, data):
        return self.model(data).mean()


trainer = Trainer()
for data in torch.utils.data.DataLoader(mystery.samples()):
    print(trainer.step(data).item())

# output
import mystery
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, data):
        if mystery.gpu():
            data["image"] = data["image"].cuda()
        return self.fc(data["image"])


class Trainer:
    def __init__(self):
        self.model = nn.DataParallel(Model()).to(device)

    def step(self, data):
        return self.model(data).mean()


trainer = Trainer()
for data in torch.utils.data.DataLoader(mystery.samples()):
    print(trainer.step(data).item())

# case: inputs that are scattered
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc(x) + torch.ones(1, device=x.device)


model = nn.DataParallel(Model()).to(device)
print(model(torch.ones(8, 3, device=device)).mean().item())

# case: a storage is no tensor
# reports: DFX201 DFX201 DFX201
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(3).to(device)
storages = []
for _ in range(2):
    storages.append(torch.Storage(8).cuda())
print(x.storage().cuda(), torch.UntypedStorage(8).cuda(x.get_device()))

# case: nothing asks for CUDA before the cards are chosen
import os

import torch
from torch import nn

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
net = nn.Linear(2, 2).cuda()
print(net(torch.zeros(3, 2).cuda()).shape)

# output
import os

import torch
from torch import nn

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 2).to(device)
print(net(torch.zeros(3, 2, device=device)).shape)

# case: a main block chooses the cards
import os
import sys

import torch
from torch import nn


def main():
    net = nn.Linear(2, 2).cuda()
    print(net(torch.zeros(3, 2).cuda()).shape)


if __name__ == "__main__":
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", sys.argv[-1])
    main()

# output
import os
import sys

import torch
from torch import nn


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(2, 2).to(device)
    print(net(torch.zeros(3, 2, device=device)).shape)


if __name__ == "__main__":
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", sys.argv[-1])
    main()

# case: processes that are forked ask for themselves
from multiprocessing import Process

import torch
from torch import nn


def work(number):
    net = nn.Linear(2, 2).cuda()
    print(number, net(torch.zeros(3, 2).cuda()).shape)


if __name__ == "__main__":
    for number in range(2):
        Process(target=work, args=(number,)).start()

# output
from multiprocessing import Process

import torch
from torch import nn


def work(number):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(2, 2).to(device)
    print(number, net(torch.zeros(3, 2, device=device)).shape)


if __name__ == "__main__":
    for number in range(2):
        Process(target=work, args=(number,)).start()

# case: a function chooses the cards, and uses them
import os

import torch
from torch import nn


def main():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    net = nn.Linear(2, 2).cuda()
    print(net(torch.zeros(3, 2).cuda()).shape)


main()

# output
import os

import torch
from torch import nn


def main():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(2, 2).to(device)
    print(net(torch.zeros(3, 2, device=device)).shape)


main()

# case: a function may choose the cards
# reports: DFX201
import os
import sys

import torch
from torch import nn


def main(card):
    if card:
        os.environ["CUDA_VISIBLE_DEVICES"] = card
    net = nn.Linear(2, 2).cuda()
    print(net(torch.zeros(3, 2).cuda()).shape)


main(sys.argv[-1])

# case: a function that forks what uses CUDA does not ask for it
# reports: DFX201
from multiprocessing import Process

import torch
from torch import nn


def work(number):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(number, nn.Linear(2, 2).to(device)(torch.zeros(3, 2, device=device)).shape)


def main():
    process = Process(target=work, args=(0,))
    process.start()
    process.join()
    print(torch.zeros(2).cuda())


main()

# case: the cards are chosen before anything asks for them
import os

import torch
from torch import nn

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 2).to(device)
print(net(torch.zeros(3, 2, device=device)).shape)

# case: a storage device, whose values the program itself moves on
import torch
from torch import nn


class Camera(nn.Module):
    def __init__(self, image, data_device):
        super().__init__()
        self.data_device = torch.device(data_device)
        self.image = image.clamp(0.0, 1.0).to(self.data_device)
        self.view = torch.eye(3).cuda()

    def image_on(self, scale):
        print(torch.rand(2).cuda().sum())
        return self.image.cuda() * scale


def render(camera, points):
    background = torch.tensor([0.0, 0.0, 1.0], device="cuda")
    return points @ camera.view + background


def training(paths, data_device):
    points = nn.Parameter(torch.rand(5, 3).cuda())
    for camera in [Camera(torch.full((3,), len(path)), data_device) for path in paths]:
        image = render(camera, points).mean(0)
        loss = (image - camera.image.cuda()).abs().mean()
        loss.backward()
        depth = torch.rand(3).cuda()
        print(loss.item(), depth.sum())

# output
import torch
from torch import nn


class Camera(nn.Module):
    def __init__(self, image, data_device):
        super().__init__()
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.data_device = torch.device(data_device)
        self.image = image.clamp(0.0, 1.0).to(self.data_device)
        self.view = torch.eye(3, device=device)

    def image_on(self, scale):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        print(torch.rand(2).to(device).sum())
        return self.image.to(device) * scale


def render(camera, points):
    background = torch.tensor([0.0, 0.0, 1.0], device="cuda" if torch.cuda.is_available() else "cpu")
    return points @ camera.view + background


def training(paths, data_device):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    points = nn.Parameter(torch.rand(5, 3).to(device))
    for camera in [Camera(torch.full((3,), len(path)), data_device) for path in paths]:
        image = render(camera, points).mean(0)
        loss = (image - camera.image.to(device)).abs().mean()
        loss.backward()
        depth = torch.rand(3).to(device)
        print(loss.item(), depth.sum())

# case: the device of what is met, and not of another part
import torch
from torch import nn


class EnvConfig:
    def __init__(self):
        self.device = torch.device("cuda")


class AgentConfig:
    def __init__(self):
        self.device = torch.device("cuda")


class Env:
    def __init__(self, config):
        self.state = torch.zeros(4, device=config.device)


class Agent:
    def __init__(self, config, env):
        self.config = config
        self.env = env
        self.net = nn.Linear(4, 2).to(config.device)

    def act(self):
        return self.net(self.env.state.to(self.config.device))


def explore(config, agent):
    bonus = torch.rand(2).cuda()
    return agent.act() + bonus


def count(config, index):
    counts = torch.zeros(9).cuda()
    counts[index] += 1
    return counts


def run():
    config = EnvConfig()
    agent = Agent(AgentConfig(), Env(config))
    print(explore(config, agent), count(config, 3))


run()

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class EnvConfig:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class AgentConfig:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Env:
    def __init__(self, config):
        self.state = torch.zeros(4, device=config.device)


class Agent:
    def __init__(self, config, env):
        self.config = config
        self.env = env
        self.net = nn.Linear(4, 2).to(config.device)

    def act(self):
        return self.net(self.env.state.to(self.config.device))


def explore(config, agent):
    bonus = torch.rand(2).to(agent.config.device)
    return agent.act() + bonus


def count(config, index):
    counts = torch.zeros(9, device=device)
    counts[index] += 1
    return counts


def run():
    config = EnvConfig()
    agent = Agent(AgentConfig(), Env(config))
    print(explore(config, agent), count(config, 3))


run()

# case: the module is moved, its device is for storage
import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self, width, data_device):
        super().__init__()
        self.data_device = torch.device(data_device)
        self.head = nn.Linear(width, 4)
        self.anchors = torch.rand(100, 4).to(self.data_device)

    def forward(self, x):
        seeds = torch.rand(4).cuda()
        boxes = self.head(x) + seeds
        scale = torch.full((4,), 0.5).cuda()
        return boxes, scale, self.anchors[:10].cuda()


def detect(detector, images):
    order = torch.randperm(len(images)).cuda()
    return detector(images)[0], order

# output
import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self, width, data_device):
        super().__init__()
        self.data_device = torch.device(data_device)
        self.head = nn.Linear(width, 4)
        self.anchors = torch.rand(100, 4).to(self.data_device)

    def forward(self, x):
        seeds = torch.rand(4).to(x.device)
        boxes = self.head(x) + seeds
        scale = torch.full((4,), 0.5, device=x.device)
        return boxes, scale, self.anchors[:10].to(boxes.device)


def detect(detector, images):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    order = torch.randperm(len(images)).to(device)
    return detector(images)[0], order

# case: what goes into the module, or comes out of it, says where it is
import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, 4)

    def forward(self, x, scale):
        boxes = self.head(x)
        return boxes, torch.full((4,), 0.5).cuda() * scale, torch.zeros(3).cuda()

    def sample(self, n):
        boxes = self.head(self.head.weight.new_ones(n))
        return boxes, torch.rand(n).cuda()

# output
import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, 4)

    def forward(self, x, scale):
        boxes = self.head(x)
        return boxes, torch.full((4,), 0.5, device=boxes.device) * scale, torch.zeros(3, device=boxes.device)

    def sample(self, n):
        boxes = self.head(self.head.weight.new_ones(n))
        return boxes, torch.rand(n).to(boxes.device)

# case: work that is sent to another machine asks there
import submitit
import torch


def train(steps):
    net = torch.nn.Linear(3, 1).cuda()
    for step in range(steps):
        print(net(torch.ones(2, 3).cuda()).sum().item())


executor = submitit.AutoExecutor(folder="logs")
job = executor.submit(train, 3)
print(job.result())

# output
import submitit
import torch


def train(steps):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(3, 1).to(device)
    for step in range(steps):
        print(net(torch.ones(2, 3, device=device)).sum().item())


executor = submitit.AutoExecutor(folder="logs")
job = executor.submit(train, 3)
print(job.result())

# case: an object that is sent to another machine
import submitit
import torch


class Trainer:
    def __init__(self, steps):
        self.steps = steps
        self.net = torch.nn.Linear(3, 1)

    def start(self):
        self.net.cuda()

    def __call__(self):
        self.start()
        for step in range(self.steps):
            print(self.net(torch.ones(2, 3).cuda()).sum().item())


executor = submitit.AutoExecutor(folder="logs")
print(executor.submit(Trainer(3)).result())

# output
import submitit
import torch


class Trainer:
    def __init__(self, steps):
        self.steps = steps
        self.net = torch.nn.Linear(3, 1)

    def start(self):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net.to(device)

    def __call__(self):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.start()
        for step in range(self.steps):
            print(self.net(torch.ones(2, 3, device=device)).sum().item())


executor = submitit.AutoExecutor(folder="logs")
print(executor.submit(Trainer(3)).result())

# case: a guard in a method of what is sent away
import ray
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@ray.remote
def train(steps):
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return steps


print(ray.get(train.remote(3)), device)

# case: what is moved before it is sent away
# reports: DFX201
import ray
import torch

net = torch.nn.Linear(3, 1).cuda()


@ray.remote
def measure(scale):
    return sum(p.sum().item() for p in net.parameters()) * scale


print(ray.get(measure.remote(3)))

# case: a device of the function that runs elsewhere
import submitit
import torch


def train(steps):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(3, 1).to(device)
    return net(torch.ones(steps, 3, device=device)).sum().item()


print(submitit.AutoExecutor(folder="logs").submit(train, 3).result())

# case: several values follow the module, no tensor is in reach
import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.cell = nn.LSTMCell(width, width)

    def start(self, n, width):
        hidden = torch.zeros(n, width).cuda()
        cell = torch.zeros(n, width).cuda()
        return hidden, cell

    def once(self, n):
        return torch.zeros(n).cuda()

# output
import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.cell = nn.LSTMCell(width, width)

    def start(self, n, width):
        device = next(self.parameters()).device
        hidden = torch.zeros(n, width, device=device)
        cell = torch.zeros(n, width, device=device)
        return hidden, cell

    def once(self, n):
        return torch.zeros(n, device=next(self.parameters()).device)

# case: an object of another kind, called twice
import torch


class Pool:
    def __init__(self, device):
        self.device = device

    def cuda(self):
        return Pool("cuda")


def moved(pool):
    return pool.cuda(), pool.cuda()


print(moved(Pool("cpu"))[0].device, torch.ones(2).sum())

# case: the same twice, and no device anywhere
import torch


class Stream:
    def __init__(self, place="cpu"):
        self.place = place

    def cuda(self):
        return Stream("gpu")


def both(stream):
    return stream.cuda(), stream.cuda()


print([found.place for found in both(Stream())], torch.ones(2).sum())

# case: functions, and a main block that moves the model: whoever imports them gets the same device
import torch


def extract(model, frame):
    return model(frame.unsqueeze(0).cuda())


def propagate(segments):
    segments = [s.cuda() for s in segments]
    return torch.cat(segments)


if __name__ == "__main__":
    model = torch.nn.Linear(3, 2)
    model.cuda()
    out = extract(model, torch.ones(3))
    print(propagate([out, out]).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def extract(model, frame):
    return model(frame.unsqueeze(0).to(device))


def propagate(segments):
    segments = [s.to(device) for s in segments]
    return torch.cat(segments)


if __name__ == "__main__":
    model = torch.nn.Linear(3, 2)
    model.to(device)
    out = extract(model, torch.ones(3))
    print(propagate([out, out]).sum().item())

# case: half a port, as what every path comes by cannot be moved elsewhere
# reports: DFX201 DFX206
import torch


def build(gpu):
    torch.cuda.set_device(gpu)
    return torch.nn.Linear(3, 1).cuda()


net = build(0)
print(net.weight.storage().cuda())

# case: what cannot be moved elsewhere is needed on one path only
# reports: DFX201
import sys

import torch

net = torch.nn.Linear(3, 1).cuda()
if len(sys.argv) > 1:
    print(net.weight.storage().cuda())

# output
import sys

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 1).to(device)
if len(sys.argv) > 1:
    print(net.weight.storage().cuda())

# case: a function of the program is asked for the device
import torch


def get_device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


class Counter:
    def __init__(self):
        self.counts = torch.zeros(3).cuda()


def main():
    net = torch.nn.Linear(3, 3).to(get_device())
    print((net(Counter().counts[None]) + torch.randn(1, 3).cuda()).shape)


main()

# output
import torch


def get_device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


class Counter:
    def __init__(self):
        self.counts = torch.zeros(3, device=get_device())


def main():
    net = torch.nn.Linear(3, 3).to(get_device())
    print((net(Counter().counts[None]) + torch.randn(1, 3).to(get_device())).shape)


main()

# case: a function that is asked for the device tells the user, too
import torch


def get_device():
    place = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print("computing there")
    return place


def main():
    net = torch.nn.Linear(3, 3).to(get_device())
    print((net(torch.ones(1, 3, device=get_device())) + torch.randn(1, 3).cuda()).shape)


main()

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def get_device():
    place = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print("computing there")
    return place


def main():
    net = torch.nn.Linear(3, 3).to(get_device())
    print((net(torch.ones(1, 3, device=get_device())) + torch.randn(1, 3).to(device)).shape)


main()

# case: a function is asked for the device everywhere
import torch


def get_device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main():
    net = torch.nn.Linear(3, 3).to(get_device())
    print((net(torch.ones(1, 3, device=get_device())) + torch.zeros(3, device=get_device())).shape)


main()

# case: a function of that name says something else
import torch


def get_device():
    return "lamp"


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(3, 3).to(device)
    print(get_device(), net(torch.ones(1, 3, device=device)).shape)


main()

# case: what is brought to the CPU beside a tensor that is there stays
# reports: DFX201
import torch


def fill(model, x, index, use_cuda):
    out = torch.zeros(10, 2)
    if use_cuda:
        out = out.cuda()
    feats = model(x.cuda())
    if use_cuda:
        out.scatter_(0, index.cuda(), feats)
        out.index_add_(0, index.cuda(), feats)
    else:
        out.scatter_(0, index.cpu(), feats.cpu())
        out.index_add_(0, index.cpu(), feats.cpu())
    out[index.cpu()] = feats.cpu()
    return out

# output
import torch


def fill(model, x, index, use_cuda):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    out = torch.zeros(10, 2)
    if use_cuda:
        out = out.cuda()
    feats = model(x.to(device))
    if use_cuda:
        out.scatter_(0, index.cuda(), feats)
        out.index_add_(0, index.cuda(), feats)
    else:
        out.scatter_(0, index.cpu(), feats.cpu())
        out.index_add_(0, index.cpu(), feats.cpu())
    out[index.cpu()] = feats.cpu()
    return out

# case: processes of a class of their own are forked, so their parent does not ask
# reports: DFX201
import torch
import torch.multiprocessing as mp


class Worker(mp.Process):
    def run(self):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        print(torch.ones(2).to(device))


Worker().start()
print(torch.zeros(2).cuda())

# case: what the file moves whatever the option says, and what the option is about
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--use", action="store_true")
args = parser.parse_args()
stock = torch.ones(2)
if args.use:
    stock = stock.cuda()
model = nn.Linear(2, 1).cuda()
print(model(torch.ones(3, 2).cuda()).shape, stock.sum().item())

# output
import argparse

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

parser = argparse.ArgumentParser()
parser.add_argument("--use", action="store_true")
args = parser.parse_args()
stock = torch.ones(2)
if args.use:
    stock = stock.to(device)
model = nn.Linear(2, 1).to(device)
print(model(torch.ones(3, 2, device=device)).shape, stock.sum().item())

# case: what a function is told about one thing decides about no other
import argparse

import torch
from torch import nn


def run(args):
    model = nn.Linear(2, 1)
    if args.fit:
        model.cuda()
        print(model(torch.ones(1, 2).cuda()).sum().item())
    other = nn.Linear(2, 2).cuda()
    print(other(torch.ones(3, 2).cuda()).shape)


parser = argparse.ArgumentParser()
parser.add_argument("--fit", action="store_true")
run(parser.parse_args())

# output
import argparse

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def run(args):
    model = nn.Linear(2, 1)
    if args.fit:
        model.to(device)
        print(model(torch.ones(1, 2, device=device)).sum().item())
    other = nn.Linear(2, 2).to(device)
    print(other(torch.ones(3, 2, device=device)).shape)


parser = argparse.ArgumentParser()
parser.add_argument("--fit", action="store_true")
run(parser.parse_args())

# case: a question that only sounds like one for CUDA
# reports: DFX201
import torch
import torch.multiprocessing as mp

import cuda_farm


class Worker(mp.Process):
    def run(self):
        print(torch.ones(2).cuda().sum())


print(cuda_farm.is_available())
Worker().start()
print(torch.zeros(2).cuda())

# case: a program that moves its model itself leaves another one on the CPU, and that works
import torch
from torch import nn

decoder = nn.DataParallel(nn.Linear(4, 1).cuda())
codes = nn.Embedding(8, 4)
nn.init.normal_(codes.weight.data, 0.0, 0.1)
for indices in torch.utils.data.DataLoader(torch.arange(8), batch_size=2):
    chosen = codes(indices)
    loss = decoder(chosen).sum() + chosen.norm().cuda()
    loss.backward()

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

decoder = nn.DataParallel(nn.Linear(4, 1).to(device))
codes = nn.Embedding(8, 4)
nn.init.normal_(codes.weight.data, 0.0, 0.1)
for indices in torch.utils.data.DataLoader(torch.arange(8), batch_size=2):
    chosen = codes(indices)
    loss = decoder(chosen).sum() + chosen.norm().to(device)
    loss.backward()

# case: a module says where it is by what it surely has: replicas have no parameters
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 4))

    def forward(self, x, lengths):
        mask = torch.arange(x.size(1)).cuda()
        mask = mask < lengths.cuda()
        y = torch.matmul(x, self.weight)
        return y * mask


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 4)
        self.fc = nn.Linear(4, 2)
        self.register_buffer("mean", torch.zeros(3))

    def init_hidden(self, n):
        return torch.zeros(1, n, 4).cuda()

    def forward(self, x):
        x = torch.from_numpy(x).cuda() - self.mean
        out, _ = self.rnn(x, self.init_hidden(x.size(1)))
        return self.fc(out)

    def sample(self, n):
        return self.fc(torch.randn(n, 4).cuda())


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.utils.weight_norm(nn.Linear(3, 4))

    def forward(self, x):
        return self.fc(x.cuda())


class Optional(nn.Module):
    def __init__(self, bias, first):
        super().__init__()
        self.bias = None
        if bias:
            self.bias = nn.Parameter(torch.zeros(4))
        if first:
            self.first = nn.Linear(3, 3)

    def forward(self, x):
        return x.cuda() + 1


class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def wrap(self):
        self.fc = nn.Sequential(self.fc, nn.ReLU())

    def forward(self, x):
        return self.fc(x.cuda())


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())

    def forward(self, x):
        return self.net(x.cuda())


class Exchanged(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
        self.net[0] = nn.Identity()

    def forward(self, x):
        return self.net(x.cuda())


class Early(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = self.init_hidden()
        self.rnn = nn.RNN(3, 4)

    def init_hidden(self):
        return torch.zeros(1, 1, 4).cuda()

    def forward(self, x):
        return self.rnn(x, self.hidden)

# output
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 4))

    def forward(self, x, lengths):
        mask = torch.arange(x.size(1), device=x.device)
        mask = mask < lengths.to(mask.device)
        y = torch.matmul(x, self.weight)
        return y * mask


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 4)
        self.fc = nn.Linear(4, 2)
        self.register_buffer("mean", torch.zeros(3))

    def init_hidden(self, n):
        return torch.zeros(1, n, 4, device=self.rnn.weight_ih_l0.device)

    def forward(self, x):
        x = torch.from_numpy(x).to(self.mean.device) - self.mean
        out, _ = self.rnn(x, self.init_hidden(x.size(1)))
        return self.fc(out)

    def sample(self, n):
        return self.fc(torch.randn(n, 4).to(self.fc.weight.device))


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.utils.weight_norm(nn.Linear(3, 4))

    def forward(self, x):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return self.fc(x.to(device))


class Optional(nn.Module):
    def __init__(self, bias, first):
        super().__init__()
        self.bias = None
        if bias:
            self.bias = nn.Parameter(torch.zeros(4))
        if first:
            self.first = nn.Linear(3, 3)

    def forward(self, x):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return x.to(device) + 1


class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def wrap(self):
        self.fc = nn.Sequential(self.fc, nn.ReLU())

    def forward(self, x):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return self.fc(x.to(device))


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())

    def forward(self, x):
        return self.net(x.to(self.net[0].weight.device))


class Exchanged(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
        self.net[0] = nn.Identity()

    def forward(self, x):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return self.net(x.to(device))


class Early(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = self.init_hidden()
        self.rnn = nn.RNN(3, 4)

    def init_hidden(self):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return torch.zeros(1, 1, 4, device=device)

    def forward(self, x):
        return self.rnn(x, self.hidden)

# case: a tensor that is gone was asked whether it is on the GPU
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x, n):
        on_gpu = x.is_cuda
        x = n
        z = torch.randn(x, 3)
        if on_gpu:
            z = z.cuda()
        return self.fc(z)

# case: a tensor that another condition has moved does not say where this one goes
# reports: DFX201
import torch


def batch(a, b, mode):
    if mode == "all":
        a = a.cuda()
        b = b.cuda()
    x = a[:2]
    y = b[:2]
    if mode == "batch":
        return x.cuda(), y.cuda()
    return x, y

# case: moves below two questions of the caller's: neither says where the other's tensor goes
# reports: DFX201
import torch


def both(a, b, mode):
    if mode == "all":
        a = a.cuda()
    if mode != "none":
        b = b.cuda()
    return a, b

# case: what a constant always moves, beside what moves in any case
import torch
from torch import nn


def main():
    model = nn.Linear(8, 4)
    use_gpu = True
    if use_gpu:
        model = model.cuda()
    model = nn.DataParallel(model).cuda()
    print(model(torch.ones(2, 8).cuda()))


if __name__ == "__main__":
    main()

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main():
    model = nn.Linear(8, 4)
    use_gpu = True
    if use_gpu:
        model = model.to(device)
    model = nn.DataParallel(model).to(device)
    print(model(torch.ones(2, 8, device=device)))


if __name__ == "__main__":
    main()

# case: what is moved below a name that a function sets anew
# reports: DFX201
import torch
from torch import nn

use_gpu = True


def choose():
    global use_gpu
    use_gpu = input("GPU? ") == "y"


choose()
model = nn.Linear(8, 4)
if use_gpu:
    model = model.cuda()
print(model.weight.sum())

# case: what may be missing is moved if it is there: that asks nothing about the accelerator
import torch


def evaluate(model, loader):
    for batch in loader:
        parts = [batch["x"], batch["mask"]]
        parts = [p.cuda() if p is not None else p for p in parts]
        x, mask = parts
        with torch.no_grad():
            print(model(x, mask).sum().item())

# output
import torch


def evaluate(model, loader):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for batch in loader:
        parts = [batch["x"], batch["mask"]]
        parts = [p.to(device) if p is not None else p for p in parts]
        x, mask = parts
        with torch.no_grad():
            print(model(x, mask).sum().item())

# case: something else may be missing, and what is moved is there anyway
# reports: DFX201
import torch


def evaluate(model, loader, card):
    for batch in loader:
        parts = [batch["x"], batch["mask"]]
        parts = [p.cuda() if card is not None else p for p in parts]
        x, mask = parts
        with torch.no_grad():
            print(model(x, mask).sum().item())

# case: a function that nobody calls, and the module that it trains
import torch
from torch import nn


def train(model, loader, lr):
    optim = torch.optim.Adam(lr=lr, params=model.parameters())
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        loss = nn.functional.mse_loss(model(x), y)
        optim.zero_grad()
        loss.backward()
        optim.step()

# output
import torch
from torch import nn


def train(model, loader, lr):
    device = next(model.parameters()).device
    optim = torch.optim.Adam(lr=lr, params=model.parameters())
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = nn.functional.mse_loss(model(x), y)
        optim.zero_grad()
        loss.backward()
        optim.step()

# case: a module that nobody knows to have parameters
# reports: DFX201
import torch


def score(criterion, x):
    criterion.eval()
    x = torch.sigmoid(x).cuda()
    return criterion(x)

# case: a module in a comprehension that nobody knows to have parameters
# reports: DFX201
import torch


def detect(net, rows):
    net.eval()
    return [net(row.cuda()) for row in rows]

# case: one of two modules whose parameters are not seen, but optimized
import torch
from missing import blocks
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.ReLU()
        blocks(self)

    def forward(self, x):
        return self.net(x)


def train(model, x):
    optim = torch.optim.Adam(params=model.parameters())
    loss = model(x.cuda()).sum()
    loss.backward()
    optim.step()


def main():
    model = Net()
    model.cuda()
    train(model, torch.zeros(2, 3))

# output
import torch
from missing import blocks
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.ReLU()
        blocks(self)

    def forward(self, x):
        return self.net(x)


def train(model, x):
    optim = torch.optim.Adam(params=model.parameters())
    loss = model(x.to(next(model.parameters()).device)).sum()
    loss.backward()
    optim.step()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Net()
    model.to(device)
    train(model, torch.zeros(2, 3))

# case: what is moved does not say where to
import torch
from torch import nn


class Window(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.ones(3))

    def forward(self, x):
        return x + self.window.cuda()

# output
import torch
from torch import nn


class Window(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.ones(3))

    def forward(self, x):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return x + self.window.to(device)

# case: the constructor asserts what the methods need
# reports: DFX201
import torch
from torch import nn


class Relatedness:
    def __init__(self, data):
        assert torch.cuda.is_available(), "CUDA required"
        self.data = data
        self.model = nn.Linear(3, 1)

    def run(self):
        self.model = self.model.cuda()
        return self.model(self.data.cuda())

# case: a condition about something that is only there then
import json
import os

import torch

query = torch.tensor(json.load(open("query.json")))
several = os.path.isfile("several.json")
if several:
    more = torch.tensor(json.load(open("several.json")))
    more = more.cuda()
query = query.cuda()
print(query.sum())

# output
import json
import os

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

query = torch.tensor(json.load(open("query.json")))
several = os.path.isfile("several.json")
if several:
    more = torch.tensor(json.load(open("several.json")))
    more = more.to(device)
query = query.to(device)
print(query.sum())

# case: a process that takes its own device, in a group or alone
# reports: DFX201 DFX206
import torch


def work(gpu, group):
    torch.cuda.set_device(gpu)
    if group:
        torch.distributed.init_process_group("nccl")
    net = torch.nn.Linear(3, 1).cuda(gpu)
    print(net(torch.ones(2, 3).cuda(gpu)))


if __name__ == "__main__":
    work(0, False)

# case: in a property
import torch


class Runner:
    def __init__(self):
        self.net = torch.nn.Linear(3, 1)

    @property
    def moved(self):
        return self.net.cuda()


runner = Runner()
print(runner.moved(torch.ones(2, 3).cuda()).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Runner:
    def __init__(self):
        self.net = torch.nn.Linear(3, 1)

    @property
    def moved(self):
        return self.net.to(device)


runner = Runner()
print(runner.moved(torch.ones(2, 3, device=device)).sum().item())

# case: an option that the program sets anew on some ways
# reports: DFX201
import argparse

import torch


def main(args):
    if args.trt:
        args.device = "gpu"
    model = torch.nn.Linear(3, 1)
    if args.device == "gpu":
        model.cuda()
        if args.fp16:
            model.half()
    print(model)


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu", choices=["cpu", "gpu"])
parser.add_argument("--trt", action="store_true")
parser.add_argument("--fp16", action="store_true")
main(parser.parse_args())

# case: a later torch has the argument
# reports: DFX201 DFX217
# min-torch: 0.4
import torch

x = torch.ones(3).pin_memory().cuda(non_blocking=True)
print(x)

# case: all items of a batch are moved, whatever the dataset gives
import datasets
import torch
from torch.utils.data import DataLoader


def train(loader, net):
    mean = torch.FloatTensor([0.5]).view(1, -1, 1, 1).cuda()
    for batch in loader:
        for key, value in batch.items():
            batch[key] = value.cuda()
        print(net(batch["x"] - mean).sum().item())


net = torch.nn.Conv2d(3, 3, 1).cuda()
train(DataLoader(datasets.make("train"), batch_size=4), net)
for batch in DataLoader(datasets.make("test"), batch_size=4):
    for key in batch.keys():
        if torch.is_tensor(batch[key]):
            batch[key] = batch[key].cuda()
    print(net(batch["x"]).sum().item(), batch["name"])

# output
import datasets
import torch
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(loader, net):
    mean = torch.FloatTensor([0.5]).view(1, -1, 1, 1).to(device)
    for batch in loader:
        for key, value in batch.items():
            batch[key] = value.to(device)
        print(net(batch["x"] - mean).sum().item())


net = torch.nn.Conv2d(3, 3, 1).to(device)
train(DataLoader(datasets.make("train"), batch_size=4), net)
for batch in DataLoader(datasets.make("test"), batch_size=4):
    for key in batch.keys():
        if torch.is_tensor(batch[key]):
            batch[key] = batch[key].to(device)
    print(net(batch["x"]).sum().item(), batch["name"])

# case: not all items of a batch are moved
import datasets
import torch
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Conv2d(3, 3, 1).to(device)
for batch in DataLoader(datasets.make("train"), batch_size=4):
    for key, value in batch.items():
        if key.startswith("x"):
            batch[key] = value.to(device)
    print(net(batch["x"]).sum().item(), batch["name"])

# case: the main block chooses the cards first
import os
import sys

import torch


def evaluate(net, x):
    return net(x)


if __name__ == "__main__":
    os.environ["CUDA_VISIBLE_DEVICES"] = sys.argv[1]
    net = torch.nn.Linear(3, 1).cuda()
    print(evaluate(net, torch.ones(2, 3).cuda()).sum().item())

# output
import os
import sys

import torch


def evaluate(net, x):
    return net(x)


if __name__ == "__main__":
    os.environ["CUDA_VISIBLE_DEVICES"] = sys.argv[1]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(3, 1).to(device)
    print(evaluate(net, torch.ones(2, 3, device=device)).sum().item())

# case: the main block chooses the cards too late, or in one case
# reports: DFX201
import os
import sys

import torch

if __name__ == "__main__":
    net = torch.nn.Linear(3, 1).cuda()
    if len(sys.argv) > 1:
        os.environ["CUDA_VISIBLE_DEVICES"] = sys.argv[1]
    print(net(torch.ones(2, 3).cuda()).sum().item())

# case: a device is built from the answer that the program hands on
import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
use_cuda = torch.cuda.is_available()


def train(net, x, use_cuda):
    if use_cuda:
        x = x.cuda()
    return net(x).sum().item()


net = torch.nn.DataParallel(torch.nn.Linear(3, 1)).cuda()
print(train(net, torch.ones(2, 3), use_cuda))

# output
import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")


def train(net, x, use_cuda):
    device = torch.device("cuda" if use_cuda else "cpu")
    x = x.to(device)
    return net(x).sum().item()


net = torch.nn.DataParallel(torch.nn.Linear(3, 1)).to(device)
print(train(net, torch.ones(2, 3), use_cuda))

# case: the answer is the device already
import torch

use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")


def train(net, x, use_cuda):
    device = torch.device("cuda" if use_cuda else "cpu")
    x = x.to(device)
    return net(x).sum().item()


net = torch.nn.DataParallel(torch.nn.Linear(3, 1)).to(device)
print(train(net, torch.ones(2, 3), use_cuda))

# case: a loss has nothing to move
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.criterion = nn.MSELoss().cuda()
        self.other = nn.L1Loss()
        self.other.cuda()

    def step(self, x, y):
        return self.criterion(self.model(x), y) + self.other(x, y)

# output
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.criterion = nn.MSELoss()
        self.other = nn.L1Loss()

    def step(self, x, y):
        return self.criterion(self.model(x), y) + self.other(x, y)

# case: a class has a method of that name
class Car:
    def cuda(self):
        return self


def drive(car):
    return Car().cuda()

# case: something has asked already
import torch

if torch.cuda.is_available():
    print(torch.ones(3).cuda())

# case: a method of that name that brings a module to CUDA goes as a whole or not at all
from torch import nn


class Normalizer(nn.Module):
    def __init__(self, mean):
        super().__init__()
        self.mean = mean
        self.fc = nn.Linear(3, 3)

    def cuda(self):
        self.mean = self.mean.cuda()
        return super(Normalizer, self).cuda()

    def forward(self, x):
        return self.fc(x - self.mean)

# case: a loss whose move is all that a block holds
import torch


class Trainer:
    def __init__(self):
        self.loss = torch.nn.MSELoss()

    def start(self):
        self.loss.cuda()

# output
import torch


class Trainer:
    def __init__(self):
        self.loss = torch.nn.MSELoss()

    def start(self):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.loss.to(device)

# case: labels meet what a module gives that was not seen
import torch

import models


def train(loader, model, criterion):
    for x, y in loader:
        output = model(x)
        y = y.cuda()
        criterion(output, y).backward()


def main():
    model = torch.nn.DataParallel(models.by_name(models.NAME)(3)).cuda()
    train(torch.utils.data.DataLoader(models.Data()), model, torch.nn.MSELoss())


if __name__ == "__main__":
    main()

# output
import torch

import models

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(loader, model, criterion):
    for x, y in loader:
        output = model(x)
        y = y.to(device)
        criterion(output, y).backward()


def main():
    model = torch.nn.DataParallel(models.by_name(models.NAME)(3)).to(device)
    train(torch.utils.data.DataLoader(models.Data()), model, torch.nn.MSELoss())


if __name__ == "__main__":
    main()

# case: what the program itself has brought there by then needs no move
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc(x)

    def loss(self, x):
        out = self.forward(x)
        ones = torch.ones_like(out.data).cuda()
        return F.binary_cross_entropy(torch.sigmoid(out), ones)


def main():
    net = Net().cuda()
    for _ in range(3):
        x = torch.rand(4, 3).cuda()
        y = net(x).cuda()
        y = y.cuda()
        print(net.loss(x).item(), y.float().cuda().sum().item())


main()

# output
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc(x)

    def loss(self, x):
        out = self.forward(x)
        ones = torch.ones_like(out.data)
        return F.binary_cross_entropy(torch.sigmoid(out), ones)


def main():
    net = Net().to(device)
    for _ in range(3):
        x = torch.rand(4, 3).to(device)
        y = net(x)
        print(net.loss(x).item(), y.float().sum().item())


main()

# case: one accelerator after the other
# reports: DFX201
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3).cuda(0)
        self.last = nn.Linear(3, 1).cuda(1)

    def forward(self, x):
        return self.last(self.first(x).cuda(1)).cuda(0)

# case: where an argument is, of which a part is brought to the accelerator, says nothing
# reports: DFX201
import torch


def score(volume, model, criterion):
    target = volume[-1, ...].unsqueeze(0).detach()
    y = model.inference(volume[:-1, ...].detach())
    return criterion(y[:, 1:].cuda(), target.cuda())

# case: in a copy of DataParallel what is on the first card moves to another
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.scale = torch.ones(3).cuda()

    def forward(self, x):
        return self.fc(x) * self.scale.cuda()


net = nn.DataParallel(Net()).cuda()
print(net(torch.rand(4, 3).cuda()).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.scale = torch.ones(3, device=device)

    def forward(self, x):
        return self.fc(x) * self.scale.to(x.device)


net = nn.DataParallel(Net()).to(device)
print(net(torch.rand(4, 3).to(device)).sum().item())

# case: one of several modules has a move of its own, which nothing else calls
# reports: DFX201 DFX201
import sys
import torch
from torch import nn


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x)


class Shifted(Plain):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(3)

    def cuda(self):
        super().cuda()
        self.mean = self.mean.cuda()
        return self

    def forward(self, x):
        return self.fc(x - self.mean)


model = Plain() if len(sys.argv) > 1 else Shifted()
model = model.cuda()
model(torch.ones(2, 3).cuda())

# case: torch is imported in a compound statement
import contextlib

with contextlib.suppress(ImportError):
    import torch

model = torch.nn.Linear(2, 2).cuda()
print(model(torch.ones(3, 2).cuda()))

# output
import contextlib

with contextlib.suppress(ImportError):
    import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(2, 2).to(device)
print(model(torch.ones(3, 2, device=device)))

# case: torch is imported by one of two branches, each of which does
import sys

if sys.platform == "win32":
    import torch
else:
    import torch

model = torch.nn.Linear(2, 2).cuda()
print(model(torch.ones(3, 2).cuda()))

# output
import sys

if sys.platform == "win32":
    import torch
else:
    import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(2, 2).to(device)
print(model(torch.ones(3, 2, device=device)))

# case: only type checkers import torch
# reports: DFX201
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def train(model: "torch.nn.Module", x: "torch.Tensor"):
    model.cuda()
    return model(x.cuda())

# case: only type checkers import torch, by the module's name
# reports: DFX201
import typing

if typing.TYPE_CHECKING:
    import torch


def train(model: "torch.nn.Module", x: "torch.Tensor"):
    model.cuda()
    return model(x.cuda())

# case: a parameter under which both branches move decides about something else
import torch
from transformers import CLIPModel, CLIPProcessor


def features(model, processor, x, is_image=False):
    if is_image:
        batch = processor(images=x, return_tensors="pt")
        batch["pixel_values"] = batch["pixel_values"].cuda()
        batch["input_ids"] = torch.tensor([[0, 1, 2, 3]]).cuda()
        return model(**batch).image_embeds
    else:
        batch = processor(text=x, return_tensors="pt")
        batch["input_ids"] = batch["input_ids"].cuda()
        return model(**batch).text_embeds


model = CLIPModel.from_pretrained("clip").cuda()
processor = CLIPProcessor.from_pretrained("clip")
print(features(model, processor, "a"), features(model, processor, "a.png", is_image=True))

# output
import torch
from transformers import CLIPModel, CLIPProcessor

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def features(model, processor, x, is_image=False):
    if is_image:
        batch = processor(images=x, return_tensors="pt")
        batch["pixel_values"] = batch["pixel_values"].to(device)
        batch["input_ids"] = torch.tensor([[0, 1, 2, 3]]).to(device)
        return model(**batch).image_embeds
    else:
        batch = processor(text=x, return_tensors="pt")
        batch["input_ids"] = batch["input_ids"].to(device)
        return model(**batch).text_embeds


model = CLIPModel.from_pretrained("clip").to(device)
processor = CLIPProcessor.from_pretrained("clip")
print(features(model, processor, "a"), features(model, processor, "a.png", is_image=True))

# case: a base that was not read may have a property `device`
import numpy as np
import torch
from diffusers import DiffusionPipeline


class Animation(DiffusionPipeline):
    def __init__(self, net):
        super().__init__()
        self.net = net.cuda()

    def encode(self, image):
        return torch.from_numpy(image).float().cuda()


def main():
    print(Animation(torch.nn.Linear(3, 1)).encode(np.ones((2, 3))))

# output
import numpy as np
import torch
from diffusers import DiffusionPipeline


class Animation(DiffusionPipeline):
    def __init__(self, net):
        super().__init__()
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = net.to(device)

    def encode(self, image):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return torch.from_numpy(image).float().to(device)


def main():
    print(Animation(torch.nn.Linear(3, 1)).encode(np.ones((2, 3))))

# case: an import that only some runs reach binds nothing for the device
using = False
if using:
    import torch
    print("PyTorch version:", torch.__version__)
    print("CUDA is available:", torch.cuda.is_available())

import torch
import numpy as np

net = torch.nn.Linear(3, 1)
net.to(device="cuda")
print(net(torch.randn(2, 3).cuda()).cpu())

# output
using = False
if using:
    import torch
    print("PyTorch version:", torch.__version__)
    print("CUDA is available:", torch.cuda.is_available())

import torch
import numpy as np

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 1)
net.to(device=device)
print(net(torch.randn(2, 3).to(device)).cpu())

# case: a library calls a module before a part of it is moved
import torch


class Wrap(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)


net = torch.nn.Linear(3, 1)
wrapped = Wrap(net)
inputs = {"x": torch.randn(2, 3)}
torch.onnx.export(wrapped, tuple(inputs.values()), "x.onnx")
net.to(device="cuda")
print(net(torch.randn(2, 3).cuda()).cpu())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Wrap(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)


net = torch.nn.Linear(3, 1)
wrapped = Wrap(net)
inputs = {"x": torch.randn(2, 3)}
torch.onnx.export(wrapped, tuple(inputs.values()), "x.onnx")
net.to(device=device)
print(net(torch.randn(2, 3).to(device)).cpu())

# case: what finds out where a device is does not ask the device that it sets
import torch

__device = 'cuda' if torch.cuda.is_available() else 'cpu'


def initialize(gpu=0):
    global __device
    if not torch.cuda.is_available():
        print("no cuda")
        return
    elif gpu < 0:
        torch.cuda.set_device(0)
        __device = torch.empty(1).cuda().device
        return
    torch.cuda.set_device(gpu)
    __device = torch.empty(1).cuda().device


def get():
    return __device


initialize()
net = torch.nn.Linear(3, 1).to(get())
print(net(torch.ones(2, 3).to(get())).cpu())

# case: a parameter under which both branches move what nobody has seen
# reports: DFX201
from unseen import load, processor

import torch


def features(x, is_image=False):
    model = load().cuda()
    if is_image:
        batch = processor(images=x)
        batch["pixels"] = batch["pixels"].cuda()
        batch["ids"] = torch.tensor([[0, 1]]).cuda()
        return model(**batch).image
    batch = processor(text=x)
    batch["ids"] = batch["ids"].cuda()
    return model(**batch).text


print(features("a"))

# case: a constructor that refuses to go on without CUDA
# reports: DFX201
import torch


class Runner:
    def __init__(self, net):
        self.net = net
        if not torch.cuda.is_available():
            raise RuntimeError("this needs a GPU")
        self.net.cuda()

    def run(self, x):
        return self.net(x.cuda())

# case: what follows a tensor of the function's own takes the name that others share
import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def orders(self, n):
        return torch.arange(n).float().cuda()

    def sample(self, n):
        mask = torch.ones(n, 3).cuda()
        tokens = torch.zeros(n, 3).cuda()
        orders = self.orders(3)
        for step in range(n):
            ratio = torch.tensor([0.5 * step]).cuda()
            tokens = self.linear(tokens * mask) + torch.minimum(orders, ratio)
        return tokens


sampler = Sampler().cuda()
print(sampler.sample(2).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Sampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def orders(self, n):
        return torch.arange(n).float().to(next(self.parameters()).device)

    def sample(self, n):
        device = next(self.parameters()).device
        mask = torch.ones(n, 3, device=device)
        tokens = torch.zeros(n, 3, device=device)
        orders = self.orders(3)
        for step in range(n):
            ratio = torch.tensor([0.5 * step]).to(device)
            tokens = self.linear(tokens * mask) + torch.minimum(orders, ratio)
        return tokens


sampler = Sampler().to(device)
print(sampler.sample(2).sum().item())

# case: a number of GPUs that is at least 1
import torch
from torch import nn

count = max(torch.cuda.device_count(), 1)
model = nn.DataParallel(nn.Linear(3, 2).cuda())
if torch.cuda.device_count() > 1:
    print(32 // torch.cuda.device_count())
print(32 // count, 32 // (torch.cuda.device_count() or 1), model(torch.ones(2, 3).cuda()).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

count = max(torch.cuda.device_count(), 1)
model = nn.DataParallel(nn.Linear(3, 2).to(device))
if torch.cuda.device_count() > 1:
    print(32 // torch.cuda.device_count())
print(32 // count, 32 // (torch.cuda.device_count() or 1), model(torch.ones(2, 3, device=device)).shape)

# case: the number of a GPU is a remainder
# reports: DFX212
import torch
from torch import nn

rank = 1
model = nn.Linear(3, 2).cuda()
print(model(torch.ones(2, 3).cuda()).shape, rank % torch.cuda.device_count())

# case: a function divides by the number of GPUs that it is given
# reports: DFX212
import torch
from torch import nn


def steps_of(size, count, most):
    each = size // count
    return max(each // most, 1)


model = nn.DataParallel(nn.Linear(3, 2).cuda())
print(steps_of(32, torch.cuda.device_count(), 4), model(torch.ones(2, 3).cuda()).shape)

# case: torch is imported below what chooses the cards
import os

from numpy import *

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
import torch

torch.backends.cudnn.benchmark = True

import torch.nn as nn

model = nn.Linear(3, 2)
model.cuda()
print(model(torch.ones(2, 3).cuda()).shape)

# output
import os

from numpy import *

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
import torch

torch.backends.cudnn.benchmark = True

import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(3, 2)
model.to(device)
print(model(torch.ones(2, 3, device=device)).shape)

# case: an option that says who moves a batch, where the model is moved in any case
import argparse

import torch
from torch import nn


def train(model, loader, args):
    for x in loader:
        if not args.prefetch:
            x = x.cuda()
            x = x * 2
        print(model(x).shape)


def validate(model, loader, args):
    for x in loader:
        if not args.prefetch:
            x = x.cuda()
        print(model(x).shape)


def main(args):
    model = nn.Linear(2, 1)
    if args.gpus > 1:
        model = nn.DataParallel(model).cuda()
    else:
        model.cuda()
    batches = [torch.ones(3, 2)]
    if args.prefetch:
        batches = [batch.cuda() for batch in batches]
    train(model, batches, args)
    validate(model, batches, args)


parser = argparse.ArgumentParser()
parser.add_argument("--prefetch", action="store_true")
parser.add_argument("--gpus", type=int, default=1)
main(parser.parse_args())

# output
import argparse

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(model, loader, args):
    for x in loader:
        if not args.prefetch:
            x = x.to(device)
            x = x * 2
        print(model(x).shape)


def validate(model, loader, args):
    for x in loader:
        if not args.prefetch:
            x = x.to(device)
        print(model(x).shape)


def main(args):
    model = nn.Linear(2, 1)
    if args.gpus > 1:
        model = nn.DataParallel(model).to(device)
    else:
        model.to(device)
    batches = [torch.ones(3, 2)]
    if args.prefetch:
        batches = [batch.to(device) for batch in batches]
    train(model, batches, args)
    validate(model, batches, args)


parser = argparse.ArgumentParser()
parser.add_argument("--prefetch", action="store_true")
parser.add_argument("--gpus", type=int, default=1)
main(parser.parse_args())

# case: an option for the batch, where another option decides about the model
# reports: DFX201
import argparse

import torch
from torch import nn


def run(args):
    model = nn.Linear(2, 1)
    if args.cuda:
        model.cuda()
    else:
        print("on the CPU")
    x = torch.ones(3, 2)
    if not args.there:
        x = x.cuda()
    print(model(x).shape)


parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
parser.add_argument("--there", action="store_true")
run(parser.parse_args())

# case: functions of the main block read what the main block binds
import argparse

import torch
from torch import nn

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ngpu", type=int, default=1)
    args = parser.parse_args()
    net = nn.Linear(2, 1)
    if args.ngpu > 0:
        net.cuda()

    def evaluate(batches):
        for x in batches:
            print(net(x.cuda()).shape)

    evaluate([torch.ones(3, 2)])

# output
import argparse

import torch
from torch import nn

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ngpu", type=int, default=1)
    args = parser.parse_args()
    device = torch.device("cuda" if args.ngpu > 0 and torch.cuda.is_available() else "cpu")
    net = nn.Linear(2, 1)
    net.to(device)

    def evaluate(batches):
        for x in batches:
            print(net(x.to(device)).shape)

    evaluate([torch.ones(3, 2)])

# case: an option that one function knows, and a move that does not ask it
import argparse

import torch
from torch import nn


def evaluate(net, batches):
    for x in batches:
        print(net(x.cuda()).shape)


def main(args):
    net = nn.Linear(2, 1)
    if args.ngpu > 0:
        net.cuda()
    evaluate(net, [torch.ones(3, 2)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ngpu", type=int, default=1)
    main(parser.parse_args())

# output
import argparse

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def evaluate(net, batches):
    for x in batches:
        print(net(x.to(device)).shape)


def main(args):
    net = nn.Linear(2, 1)
    if args.ngpu > 0:
        net.to(device)
    evaluate(net, [torch.ones(3, 2)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ngpu", type=int, default=1)
    main(parser.parse_args())

# case: the text of a call
text = "net.cuda()"
print(text.replace("cuda", "to"))

# case: a method of that name of something else
class Toolkit:
    def cuda(self, version):
        return f"cuda {version}"


print(Toolkit().cuda(12))

# case: a loss without tensors beside a tensor of the function
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(3, 2)

    def forward(self, x, labels):
        emb = self.encoder(x)
        ce = nn.CrossEntropyLoss().cuda(0)
        return ce(emb, labels)


net = Net().cuda(0)
print(net(torch.ones(2, 3).cuda(0), torch.zeros(2).long().cuda(0)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(3, 2)

    def forward(self, x, labels):
        emb = self.encoder(x)
        ce = nn.CrossEntropyLoss()
        return ce(emb, labels)


net = Net().to(device)
print(net(torch.ones(2, 3, device=device), torch.zeros(2).long().to(device)).shape)

# case: what a function has moved itself, beside its other moves
import numpy as np
import torch


def make():
    conv = torch.nn.Conv3d(1, 1, (1, 1, 1), bias=False)
    conv.weight.requires_grad = False
    return conv


def calc(img, conv):
    return conv(img.unsqueeze(0).unsqueeze(0)).squeeze(0).squeeze(0)


def distance(img1, img2):
    img1 = img1.astype(np.float64)
    img2 = img2.astype(np.float64)
    kernel = make().cuda()
    img1 = torch.tensor(img1).float().cuda()
    img2 = torch.tensor(img2).float().cuda()
    mu1 = calc(img1, kernel)
    mu2 = calc(img2, kernel)
    mu12 = mu1 * mu2
    return float(mu12.mean())

# output
import numpy as np
import torch


def make():
    conv = torch.nn.Conv3d(1, 1, (1, 1, 1), bias=False)
    conv.weight.requires_grad = False
    return conv


def calc(img, conv):
    return conv(img.unsqueeze(0).unsqueeze(0)).squeeze(0).squeeze(0)


def distance(img1, img2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    img1 = img1.astype(np.float64)
    img2 = img2.astype(np.float64)
    kernel = make().to(device)
    img1 = torch.tensor(img1).float().to(device)
    img2 = torch.tensor(img2).float().to(device)
    mu1 = calc(img1, kernel)
    mu2 = calc(img2, kernel)
    mu12 = mu1 * mu2
    return float(mu12.mean())

# case: strings and comments about the call
NOTES = ["x.cuda() needs a GPU", "x.to(device) does not"]  # unlike model.cuda()
print(len(NOTES))

# case: a class of something else that is moved
class Cursor:
    def cuda(self):
        return self


cursor = Cursor()
cursor = cursor.cuda()
print(type(cursor).__name__)

# case: an object chooses its card when it has taken one already
import os

from torch import nn


class Trainer:
    def __init__(self, card):
        self.net = nn.Linear(2, 2)
        self.net.cuda()
        if card:
            os.environ["CUDA_VISIBLE_DEVICES"] = card

    def score(self, batch):
        return self.net(batch.float().cuda()).sum().item()

# output
import os

import torch
from torch import nn


class Trainer:
    def __init__(self, card):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = nn.Linear(2, 2)
        self.net.to(device)
        if card:
            os.environ["CUDA_VISIBLE_DEVICES"] = card

    def score(self, batch):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return self.net(batch.float().to(device)).sum().item()

# case: an object may choose its card before it takes one
# reports: DFX201
import os

from torch import nn


class Trainer:
    def __init__(self, card, early):
        self.net = nn.Linear(2, 2)
        if early:
            self.net.cuda()
        if card:
            os.environ["CUDA_VISIBLE_DEVICES"] = card
        self.net.cuda()

# case: what an unknown loader gives is where the program brings it
import torch
from torchlib import loader


def one_hot(indices, depth):
    zeros = torch.zeros(indices.size() + torch.Size([depth])).cuda()
    return zeros.scatter_(-1, indices.unsqueeze(-1), 1)


def main():
    net = torch.nn.Linear(3, 4).cuda()
    for batch in loader:
        x, y = [part.cuda() for part in batch]
        print((net(x) * one_hot(y.reshape(-1), 4)).sum().item())
        print(one_hot(torch.arange(3).cuda(), 4).sum().item())


main()

# output
import torch
from torchlib import loader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def one_hot(indices, depth):
    zeros = torch.zeros(indices.size() + torch.Size([depth]), device=indices.device)
    return zeros.scatter_(-1, indices.unsqueeze(-1), 1)


def main():
    net = torch.nn.Linear(3, 4).to(device)
    for batch in loader:
        x, y = [part.to(device) for part in batch]
        print((net(x) * one_hot(y.reshape(-1), 4)).sum().item())
        print(one_hot(torch.arange(3, device=device), 4).sum().item())


main()

# case: what nothing shows to be a tensor has no device to ask for
import torch
from torchlib import loader


def zeros_for(indices, depth):
    return torch.zeros(len(indices), depth).cuda()


def main():
    net = torch.nn.Linear(3, 4).cuda()
    for batch in loader:
        words = batch[0].cuda()
        print((net(torch.ones(len(words), 3).cuda()) * zeros_for(words, 4)).sum().item())


main()

# output
import torch
from torchlib import loader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def zeros_for(indices, depth):
    return torch.zeros(len(indices), depth, device=device)


def main():
    net = torch.nn.Linear(3, 4).to(device)
    for batch in loader:
        words = batch[0].to(device)
        print((net(torch.ones(len(words), 3, device=device)) * zeros_for(words, 4)).sum().item())


main()

# case: items of a library that nobody knows show below that they are tensors
import torch
import tnt


def main():
    net = torch.nn.Linear(3, 4).cuda()
    for batch in tnt.parallel(tnt.listed(range(4))):
        x, y = [part.cuda() for part in batch]
        print(net(x.reshape(-1, 3)).sum() + y.sum())


main()

# output
import torch
import tnt

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main():
    net = torch.nn.Linear(3, 4).to(device)
    for batch in tnt.parallel(tnt.listed(range(4))):
        x, y = [part.to(device) for part in batch]
        print(net(x.reshape(-1, 3)).sum() + y.sum())


main()

# case: items of a library that nobody knows may have a method of their own
# reports: DFX201 DFX201
import torch
import tnt


def main():
    net = torch.nn.Linear(3, 4).cuda()
    for batch in tnt.parallel(tnt.listed(range(4))):
        x, y = [part.cuda() for part in batch]
        tnt.show(x, y)
    print(net(torch.ones(2, 3).cuda()))


main()

# case: what a library made is moved, and only the library sees what came
# reports: DFX201
import tnt
import torch

clip = tnt.load("clip").cuda()
tnt.save(clip, torch.float)

# case: what a library made is moved, and then asked what no tensor is asked
# reports: DFX201
import tnt
import torch

clips = [clip.cuda() for clip in tnt.load_all("clips", torch.float)]
print([clip.title for clip in clips])

# case: made like what it meets, it is there already; not where it meets another, or none on some ways
import torch
from torch import nn


class Framework(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.criterion = nn.BCEWithLogitsLoss()

    def loss(self, data, label):
        logits = self.model(data)
        hot = torch.zeros_like(logits).cuda()
        hot[torch.arange(hot.size(0)), label] = 1
        hot = hot[:, 1:]
        return self.criterion(logits[:, 1:].reshape(-1), hot.reshape(-1))


def shifted(x):
    noise = x.new_zeros(3).add_(1)
    noise = noise.cuda()
    return noise + x


criterion = nn.MSELoss()


def another(model, data, other):
    return criterion(model(data), torch.zeros_like(other).cuda())


def sometimes(model, data, flag):
    logits = model(data)
    target = torch.zeros_like(logits).cuda()
    if flag:
        return criterion(logits, target)
    return target


def of_its_size(model, data):
    logits = model(data)
    h = torch.zeros_like(logits).cuda()
    return criterion(h, torch.ones(logits.shape).cuda())


# output
import torch
from torch import nn


class Framework(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.criterion = nn.BCEWithLogitsLoss()

    def loss(self, data, label):
        logits = self.model(data)
        hot = torch.zeros_like(logits)
        hot[torch.arange(hot.size(0)), label] = 1
        hot = hot[:, 1:]
        return self.criterion(logits[:, 1:].reshape(-1), hot.reshape(-1))


def shifted(x):
    noise = x.new_zeros(3).add_(1)
    return noise + x


criterion = nn.MSELoss()


def another(model, data, other):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return criterion(model(data), torch.zeros_like(other).to(device))


def sometimes(model, data, flag):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    logits = model(data)
    target = torch.zeros_like(logits).to(device)
    if flag:
        return criterion(logits, target)
    return target


def of_its_size(model, data):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    logits = model(data)
    h = torch.zeros_like(logits).to(device)
    return criterion(h, torch.ones(logits.shape, device=device))

# case: unchanged, made like an object that is no tensor
import torch


class Table:
    def __init__(self, rows):
        self.rows = rows

    def new_zeros(self, size):
        return Table([0] * size)

    def cuda(self):
        return self

    def __add__(self, other):
        return Table(self.rows + other.rows)


def longer(table):
    more = table.new_zeros(3).cuda()
    return more + table


print(longer(Table([1])).rows, torch.ones(2))

# case: an index on the accelerator needs what it picks from to be there
import torch


def mixup(x, y, share):
    order = torch.randperm(x.size(0)).cuda()
    mixed = share * x + (1 - share) * x[order, :]
    return mixed, y, y[order]


def cutmix(x):
    order = torch.randperm(x.size(0)).cuda()
    x[:, :, 1:2] = x[order, :, 1:2]
    return x


def pick(x):
    return x[torch.randperm(x.size(0)).cuda()]

# output
import torch


def mixup(x, y, share):
    order = torch.randperm(x.size(0)).to(x.device)
    mixed = share * x + (1 - share) * x[order, :]
    return mixed, y, y[order]


def cutmix(x):
    order = torch.randperm(x.size(0)).to(x.device)
    x[:, :, 1:2] = x[order, :, 1:2]
    return x


def pick(x):
    return x[torch.randperm(x.size(0)).to(x.device)]

# case: an index on the host picks from anywhere
import torch


def pick(x):
    order = torch.randperm(x.size(0)).cuda()
    return x[order.cpu()], order

# output
import torch


def pick(x):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    order = torch.randperm(x.size(0)).to(device)
    return x[order.cpu()], order

# case: a module that its library has placed says where that is
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("gpt2", device_map="auto")
ids = AutoTokenizer.from_pretrained("gpt2")("hello", return_tensors="pt").input_ids.cuda()
print(model(ids))

# output
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("gpt2", device_map="auto")
ids = AutoTokenizer.from_pretrained("gpt2")("hello", return_tensors="pt").input_ids.to(model.device)
print(model(ids))

# case: a condition that returns what is moved, and behind it something else
import torch


def first(x, y):
    if x.is_cuda:
        return y.cuda()
    return x


def second(x, y):
    if x.is_cuda:
        return y.cuda()
    y = y + 1
    return y

# output
import torch


def first(x, y):
    if x.is_cuda:
        return y.to(x.device)
    return x


def second(x, y):
    if x.is_cuda:
        return y.to(x.device)
    y = y + 1
    return y

# case: a module that its library has placed, and its inputs beside it
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained("gpt2", device_map="auto")
ids = AutoTokenizer.from_pretrained("gpt2")("hello", return_tensors="pt").input_ids.to(model.device)
print(model(ids))

# case: an index on the host picks from what is on the device
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(4, 3, device=device)
print(x[torch.randperm(4), :2].sum().item())

# case: on the CPU there would be no copy, and it is written while the original is in use
# reports: DFX201
import torch

x = torch.zeros(3)
y = x.cuda()
y += 1
print(x, y)

# case: on the CPU there would be no copy for the next round
# reports: DFX201
import torch

start = torch.zeros(3)
for step in range(3):
    y = start.cuda()
    y[step] = 1
    print(y)

# case: an attribute outlives the call that writes its copy
# reports: DFX201
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = torch.zeros(3)

    def forward(self, x):
        state = self.start.cuda()
        state[0] = 1
        return x * state

# case: the original is in use no more, or is copied in any case
import torch


def add(image, eps):
    image = image.cuda()
    image += eps
    return image


def copied(image, eps):
    other = image.cuda().clone()
    other += eps
    return other, image


def doubled(image, eps):
    other = (image * 2).cuda()
    other += eps
    return other, image

# output
import torch


def add(image, eps):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    image = image.to(device)
    image += eps
    return image


def copied(image, eps):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    other = image.to(device).clone()
    other += eps
    return other, image


def doubled(image, eps):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    other = (image * 2).to(device)
    other += eps
    return other, image

# case: a parameter that a method makes later
# reports: DFX111
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.weight = None

    def reset(self, size):
        if self.weight is None:
            self.weight = nn.Parameter(torch.zeros(size)).cuda()

    def forward(self, x):
        self.reset(x.size(1))
        return self.fc(x) * self.weight


cell = Cell().cuda()
print(cell(torch.ones(2, 3).cuda()).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.weight = None

    def reset(self, size):
        if self.weight is None:
            self.weight = nn.Parameter(torch.zeros(size)).to(device)

    def forward(self, x):
        self.reset(x.size(1))
        return self.fc(x) * self.weight


cell = Cell().to(device)
print(cell(torch.ones(2, 3, device=device)).sum().item())

# case: the same question in another form, about a global, leads to what stays
# reports: DFX201
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cpu", action="store_true")
args = None


def main():
    global args
    args = parser.parse_args()
    net = nn.Linear(3, 1)
    if args.cpu:
        net.cpu()
    else:
        net.cuda()
    train(net, [torch.ones(2, 3)])


def train(net, loader):
    for x in loader:
        if args.cpu == False:
            x = x.cuda(torch.cuda.device_count() - 1)
        print(net(x).sum().item())


main()

# case: what a type of CUDA has brought there already
import numpy as np
import torch
from torch import nn
from torch.autograd import Variable

net = nn.Linear(3, 2).cuda()
seq = np.ones((2, 3), dtype=np.float32)
a = torch.from_numpy(seq).type(torch.cuda.FloatTensor).cuda()
b = Variable(torch.from_numpy(seq).type(torch.cuda.FloatTensor), volatile=True).cuda()
c = torch.cuda.FloatTensor(2, 3).fill_(1).cuda()
d = torch.from_numpy(seq).cuda().cuda()
print(net(a).sum(), net(b).sum(), net(c).sum(), net(d).sum())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 2).to(device)
seq = np.ones((2, 3), dtype=np.float32)
a = torch.from_numpy(seq).to(device)
b = torch.from_numpy(seq).to(device)
c = torch.ones(2, 3, device=device)
d = torch.from_numpy(seq).to(device)
with torch.no_grad():
    print(net(a).sum(), net(b).sum(), net(c).sum(), net(d).sum())

# case: a model that goes to the CPU to be saved comes back
import torch


def main():
    model = torch.nn.Linear(3, 3)
    model.cuda()
    best = 5.0
    for _ in range(3):
        loss = model(torch.ones(3).cuda()).sum()
        if loss < best:
            best = loss.item()
            torch.save(model.cpu(), "best.pt")
            model.cuda()
    print(best < 5)


main()

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main():
    model = torch.nn.Linear(3, 3)
    model.to(device)
    best = 5.0
    for _ in range(3):
        loss = model(torch.ones(3, device=device)).sum()
        if loss < best:
            best = loss.item()
            torch.save(model.cpu(), "best.pt")
            model.to(device)
    print(best < 5)


main()
