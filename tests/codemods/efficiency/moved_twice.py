# case: moved on arrival, and again at the use
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
for x, y in [(torch.ones(2, 3), torch.zeros(2, 1))]:
    x, y = x.to(device), y.to(device)
    loss = nn.functional.mse_loss(model(x.to(device)), (y).to(device, non_blocking=True))
print(loss.item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
for x, y in [(torch.ones(2, 3), torch.zeros(2, 1))]:
    x, y = x.to(device), y.to(device)
    loss = nn.functional.mse_loss(model(x), (y))
print(loss.item())

# case: a statement that would say nothing
import torch


def total(x, device):
    x = x.to(device)
    if x.dim() > 1:
        x = x.to(device)
        x = x.sum(0)
    return x.sum()


print(total(torch.ones(2, 3), torch.device("cpu")).item())

# output
import torch


def total(x, device):
    x = x.to(device)
    if x.dim() > 1:
        x = x.sum(0)
    return x.sum()


print(total(torch.ones(2, 3), torch.device("cpu")).item())

# case: only one branch has moved it
import torch


def total(x, device, early):
    if early:
        x = x.to(device)
    return x.to(device).sum()


print(total(torch.ones(3), torch.device("cpu"), True).item())
print(total(torch.ones(3), torch.device("cpu"), False).item())

# case: to another place, or to one that has another meaning by then
import torch

first = torch.device("cuda" if torch.cuda.is_available() else "cpu")
second = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3).to(first)
y = x.to(second)
device = first
z = y.to(device)
device = second
print(z.to(device).sum().item())

# case: copies and casts
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3).to(device)
a = x.to(device, copy=True)
b = x.to(device, torch.float64)
a[0] = 0
print(x.sum().item(), b.dtype)

# case: brought back in between
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3).to(device)
x = x.cpu()
print(x.to(device).sum().item())

# case: a loop over devices
import torch

x = torch.ones(3)
for device in (torch.device("cpu"), torch.device("cpu")):
    x = x.to(device)
    print(x.to(device).sum().item())

# output
import torch

x = torch.ones(3)
for device in (torch.device("cpu"), torch.device("cpu")):
    x = x.to(device)
    print(x.sum().item())

# case: a loop over devices, and what the turn before has moved
import torch

x = torch.ones(3)
y = torch.ones(3).to("cpu")
for device in (torch.device("cpu"), torch.device("cpu")):
    y = x.to(device)
    device = torch.device("cpu", 0)
    print(y.to(device).sum().item())

# case: a function that is called with any tensor
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def total(x):
    return x.to(device).sum()


print(total(torch.ones(3).to(device)).item(), total(torch.ones(3)).item())

# case: all of a block goes, by fixes of their own
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x, y = torch.ones(3).to(device), torch.ones(2).to(device)
if x.sum() > 0:
    x = x.to(device)
    y.to(device)
print(x.sum().item(), y.sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x, y = torch.ones(3).to(device), torch.ones(2).to(device)
if x.sum() > 0:
    pass
print(x.sum().item(), y.sum().item())
