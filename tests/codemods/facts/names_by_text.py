
# case: a class of settings is made a dict
import inspect

import torch
from torch import nn


class Config:
    scale = torch.tensor([1.0, 2.0])
    dim = 2


hp = {k: v for k, v in vars(Config).items() if not k.startswith("_")}
print((nn.Linear(2, hp["dim"])(torch.ones(2)) * hp["scale"]).shape)

# case: the names of a class are read by their text
import torch
from torch import nn


class Config:
    scale = torch.tensor([1.0, 2.0])
    dim = 2


print((nn.Linear(2, 2)(torch.ones(2)) * vars(Config)["scale"]).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Config:
    scale = torch.tensor([1.0, 2.0])
    dim = 2


print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) * vars(Config)["scale"].to(device)).shape)

# case: a name of the program is read out of a dict of all
# reports: DFX101 DFX103
import torch
from torch import nn

scale = torch.tensor([1.0, 2.0])


def main():
    d = globals()
    return nn.Linear(2, 2)(torch.ones(2)) * d["scale"]


print(main().shape)

# case: a module is asked for by its own name
# reports: DFX101 DFX103
import sys

import torch
from torch import nn

scale = torch.tensor([1.0, 2.0])
this = sys.modules[__name__]
print((nn.Linear(2, 2)(torch.ones(2)) * this.scale).shape)

# case: a function that is looked up by its name
import torch
from torch import nn


def double(x):
    return x * 2


net = nn.Linear(2, 2)
print((net(torch.ones(2)) + globals()["double"](net(torch.ones(2)))).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def double(x):
    return x * 2


net = nn.Linear(2, 2).to(device)
print((net(torch.ones(2, device=device)) + globals()["double"](net(torch.ones(2, device=device)))).shape)

# case: a module of a library is asked for by its name
import sys

import torch
from torch import nn

path = sys.modules["os"].path
print(nn.Linear(2, 2)(torch.ones(2)).shape, path.sep)

# output
import sys

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

path = sys.modules["os"].path
print(nn.Linear(2, 2).to(device)(torch.ones(2, device=device)).shape, path.sep)
