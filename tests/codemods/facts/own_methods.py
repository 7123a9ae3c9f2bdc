
# case: what a class of the program has as well is no sign of a tensor
import torch
from torch import nn


class Batch:
    def __init__(self, x):
        self.x = x

    def unsqueeze(self, dim):
        return Batch(self.x[None])


def load(batch):
    return batch.unsqueeze(0) + torch.ones(3)


net = nn.Linear(3, 2)
print("%.5f" % net(torch.ones(1, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Batch:
    def __init__(self, x):
        self.x = x

    def unsqueeze(self, dim):
        return Batch(self.x[None])


def load(batch):
    return batch.unsqueeze(0) + torch.ones(3)


net = nn.Linear(3, 2).to(device)
print("%.5f" % net(torch.ones(1, 3, device=device)).sum().item())

# case: what no class of the program has with all of that is a tensor
import torch
from torch import nn


class Batch:
    def __init__(self, x):
        self.x = x

    def unsqueeze(self, dim):
        return Batch(self.x[None])


def load(batch):
    batch.clamp_(0)
    return batch.unsqueeze(0) + torch.ones(3)


net = nn.Linear(3, 2)
print("%.5f" % net(torch.ones(1, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Batch:
    def __init__(self, x):
        self.x = x

    def unsqueeze(self, dim):
        return Batch(self.x[None])


def load(batch):
    batch.clamp_(0)
    return batch.unsqueeze(0) + torch.ones(3, device=batch.device)


net = nn.Linear(3, 2).to(device)
print("%.5f" % net(torch.ones(1, 3, device=device)).sum().item())

# case: numpy of a class of the program
import torch


class Batch:
    def __init__(self, x):
        self.x = x

    def numpy(self):
        return self.x


def load(batch):
    return batch.numpy()

# case: a method that only moves what an object holds takes a device
import torch


class Storage(object):
    def __init__(self, n):
        self.x = torch.ones(n, 3)
        self.mask = torch.ones(3) if n > 3 else None

    def cuda(self):
        """Move all of it."""
        self.x = self.x.cuda()
        if self.mask is not None:
            self.mask = self.mask.cuda()
        return self


net = torch.nn.Linear(3, 1).cuda()
storage = Storage(4).cuda()
print(net(storage.x).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Storage(object):
    def __init__(self, n):
        self.x = torch.ones(n, 3)
        self.mask = torch.ones(3) if n > 3 else None

    def to(self, device):
        """Move all of it."""
        self.x = self.x.to(device)
        if self.mask is not None:
            self.mask = self.mask.to(device)
        return self


net = torch.nn.Linear(3, 1).to(device)
storage = Storage(4).to(device)
print(net(storage.x).sum().item())

# case: a method that does more keeps its name
import torch


class Storage:
    def __init__(self, n):
        self.x = torch.ones(n, 3)
        self.on_gpu = False

    def cuda(self):
        self.x = self.x.cuda()
        self.on_gpu = True


net = torch.nn.Linear(3, 1).cuda()
storage = Storage(4)
storage.cuda()
print(net(storage.x).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Storage:
    def __init__(self, n):
        self.x = torch.ones(n, 3)
        self.on_gpu = False

    def cuda(self):
        self.x = self.x.to(device)
        self.on_gpu = True


net = torch.nn.Linear(3, 1).to(device)
storage = Storage(4)
storage.cuda()
print(net(storage.x).sum().item())

# case: one whose object has another meaning for `to`
import torch


class Storage:
    def __init__(self, n):
        self.x = torch.ones(n, 3)

    def cuda(self):
        self.x = self.x.cuda()

    def to(self, dtype):
        self.x = self.x.type(dtype)


net = torch.nn.Linear(3, 1).cuda()
storage = Storage(4)
storage.cuda()
print(net(storage.x).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Storage:
    def __init__(self, n):
        self.x = torch.ones(n, 3)

    def cuda(self):
        self.x = self.x.to(device)

    def to(self, dtype):
        self.x = self.x.type(dtype)


net = torch.nn.Linear(3, 1).to(device)
storage = Storage(4)
storage.cuda()
print(net(storage.x).sum().item())

# case: one that is looked up by its name
import torch


class Storage:
    def __init__(self, n):
        self.x = torch.ones(n, 3)

    def cuda(self):
        self.x = self.x.cuda()


net = torch.nn.Linear(3, 1).cuda()
storage = Storage(4)
getattr(storage, "cuda")()
storage.cuda()
print(net(storage.x).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Storage:
    def __init__(self, n):
        self.x = torch.ones(n, 3)

    def cuda(self):
        self.x = self.x.to(device)


net = torch.nn.Linear(3, 1).to(device)
storage = Storage(4)
getattr(storage, "cuda")()
storage.cuda()
print(net(storage.x).sum().item())

# case: one that code which was not seen may call
import mystery
import torch


class Storage:
    def __init__(self, n):
        self.x = torch.ones(n, 3)

    def cuda(self):
        self.x = self.x.cuda()


net = torch.nn.Linear(3, 1).cuda()
storage = Storage(4)
storage.cuda()
print(net(storage.x).sum().item())
mystery.run(storage)

# output
import mystery
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Storage:
    def __init__(self, n):
        self.x = torch.ones(n, 3)

    def cuda(self):
        self.x = self.x.to(device)


net = torch.nn.Linear(3, 1).to(device)
storage = Storage(4)
storage.cuda()
print(net(storage.x).sum().item())
mystery.run(storage)

# case: beside a method of the program that only moves
import argparse

import torch


class Storage:
    def __init__(self, n):
        self.obs = torch.zeros(n, 3)
        self.masks = torch.ones(n)

    def cuda(self):
        self.obs = self.obs.cuda()
        self.masks = self.masks.cuda()


parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()


def main():
    net = torch.nn.Linear(3, 1)
    if args.cuda:
        net.cuda()
    storage = Storage(4)
    mask = torch.ones(4)
    if args.cuda:
        mask = mask.cuda()
        storage.cuda()
    print(net(storage.obs).mul(storage.masks + mask).sum().item())


main()

# output
import argparse

import torch


class Storage:
    def __init__(self, n):
        self.obs = torch.zeros(n, 3)
        self.masks = torch.ones(n)

    def to(self, device):
        self.obs = self.obs.to(device)
        self.masks = self.masks.to(device)


parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if args.cuda and torch.cuda.is_available() else "cpu")


def main():
    net = torch.nn.Linear(3, 1)
    net.to(device)
    storage = Storage(4)
    mask = torch.ones(4)
    mask = mask.to(device)
    storage.to(device)
    print(net(storage.obs).mul(storage.masks + mask).sum().item())


main()
