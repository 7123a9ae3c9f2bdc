
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
