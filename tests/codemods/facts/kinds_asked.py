# case: the batches of a loader are lists
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

net = nn.Linear(2, 2)
for batch in DataLoader(TensorDataset(torch.ones(4, 2), torch.ones(4, 2)), batch_size=2):
    if isinstance(batch, list):
        x, y = batch
    print((net(x) - y).shape)

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(2, 2).to(device)
for batch in DataLoader(TensorDataset(torch.ones(4, 2), torch.ones(4, 2)), batch_size=2):
    if isinstance(batch, list):
        x, y = batch
        x, y = x.to(device), y.to(device)
    print((net(x) - y).shape)

# case: a tensor may be a parameter
import torch
from torch import nn


def shrunk(x):
    if isinstance(x, nn.Parameter):
        return x - torch.ones(2)
    return x


net = nn.Linear(2, 2)
print(shrunk(net.bias).shape, net(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def shrunk(x):
    if isinstance(x, nn.Parameter):
        return x - torch.ones(2, device=x.device)
    return x


net = nn.Linear(2, 2).to(device)
print(shrunk(net.bias).shape, net(torch.ones(2, device=device)).shape)

# case: lists and tuples are sequences, dicts are mappings
from collections.abc import Mapping, Sequence

import torch
from torch import nn


def total(x):
    if isinstance(x, Mapping):
        return sum(x.values()) + torch.ones(2)
    if isinstance(x, Sequence):
        return sum(x) * torch.ones(2)
    return x


y = nn.Linear(2, 2)(torch.ones(2))
print(total([y]).shape, total((y,)).shape, total({"y": y}).shape, total(y).shape)

# output
from collections.abc import Mapping, Sequence

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def total(x):
    if isinstance(x, Mapping):
        return sum(x.values()) + torch.ones(2, device=device)
    if isinstance(x, Sequence):
        return sum(x) * torch.ones(2, device=device)
    return x


y = nn.Linear(2, 2).to(device)(torch.ones(2, device=device))
print(total([y]).shape, total((y,)).shape, total({"y": y}).shape, total(y).shape)

# case: a dict may be an OrderedDict, a list a deque
from collections import OrderedDict, deque

import torch
from torch import nn


def last(x):
    if isinstance(x, OrderedDict):
        return x["y"] + torch.ones(2)
    if isinstance(x, deque):
        return x[-1] * torch.ones(2)
    return x


y = nn.Linear(2, 2)(torch.ones(2))
print(last(OrderedDict(y=y)).shape, last(deque([y])).shape)

# output
from collections import OrderedDict, deque

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def last(x, device=None, torch_device=None):
    if isinstance(x, OrderedDict):
        return x["y"] + torch.ones(2, device=device).to(torch_device)
    if isinstance(x, deque):
        return x[-1] * torch.ones(2, device=device)
    return x


y = nn.Linear(2, 2).to(device)(torch.ones(2, device=device))
print(last(OrderedDict(y=y), torch_device=device).shape, last(deque([y]), device=device).shape)

# case: the type of a tensor is asked for among others
import torch
from torch import nn


def total(x):
    if isinstance(x, (list, torch.Tensor)):
        return sum(x)
    return x


print(total(nn.Linear(2, 2)(torch.ones(2))).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def total(x):
    if isinstance(x, (list, torch.Tensor)):
        return sum(x)
    return x


print(total(nn.Linear(2, 2).to(device)(torch.ones(2, device=device))).shape)

# case: a type of the CPU stands beside the one of all tensors
import torch
from torch import nn


def total(x):
    if isinstance(x, (torch.Tensor, torch.FloatTensor)):
        return x.sum()
    return x


print(total(nn.Linear(2, 2)(torch.ones(2))))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def total(x):
    if isinstance(x, (torch.Tensor, torch.FloatTensor)):
        return x.sum()
    return x


print(total(nn.Linear(2, 2).to(device)(torch.ones(2, device=device))))

# case: what comes from callers may be an array where only another way through the function shows a tensor
import numpy as np
import torch


def homography(hom):
    if len(hom.shape) == 1:
        h = np.zeros((3, 3))
        twice = hom * 2
        for i in range(8):
            h[i // 3, i % 3] = twice[i]
        h[2, 2] = hom[8]
    else:
        ones = torch.ones(hom.shape[0]).unsqueeze(1)
        h = torch.cat([hom, ones], dim=1).reshape(-1, 3, 3)
    return h


def scaled(x):
    if len(x.shape) == 1:
        return torch.ones(3) * x
    return torch.matmul(x, x) + torch.ones(3)


def read(hom):
    h = np.zeros(8)
    hom = hom.detach()
    for i in range(8):
        h[i] = hom[i]
    return h

# output
import numpy as np
import torch


def homography(hom):
    if len(hom.shape) == 1:
        h = np.zeros((3, 3))
        twice = hom * 2
        for i in range(8):
            h[i // 3, i % 3] = twice[i]
        h[2, 2] = hom[8]
    else:
        ones = torch.ones(hom.shape[0], device=hom.device).unsqueeze(1)
        h = torch.cat([hom, ones], dim=1).reshape(-1, 3, 3)
    return h


def scaled(x):
    if len(x.shape) == 1:
        return torch.ones(3) * x
    return torch.matmul(x, x) + torch.ones(3, device=x.device)


def read(hom):
    h = np.zeros(8)
    hom = hom.detach()
    for i in range(8):
        h[i] = hom[i].cpu()
    return h

# case: the exact type of a value is asked for
import numpy as np
import torch
from torch import nn


def mae_np(pred, true):
    return np.mean(np.absolute(pred - true))


def mae(pred, true):
    if type(pred) == np.ndarray:
        return mae_np(pred, true)
    elif type(pred) is torch.Tensor:
        return (pred - true).abs().mean().item()
    raise TypeError


net = nn.Linear(2, 2)
out = net(torch.ones(3, 2)).detach()
print(mae(out, out + 1))

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def mae_np(pred, true):
    return np.mean(np.absolute(pred - true))


def mae(pred, true):
    if type(pred) == np.ndarray:
        return mae_np(pred, true)
    elif type(pred) is torch.Tensor:
        return (pred - true).abs().mean().item()
    raise TypeError


net = nn.Linear(2, 2).to(device)
out = net(torch.ones(3, 2, device=device)).detach()
print(mae(out, out + 1))
