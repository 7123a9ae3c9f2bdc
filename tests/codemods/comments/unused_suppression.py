# case: nothing is wrong on the line
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
mask = torch.ones(2, 2, device=device)  # devicefix: ignore[DFX103]
print(mask.sum().item())  # devicefix: ignore

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
mask = torch.ones(2, 2, device=device)
print(mask.sum().item())

# case: a line of its own, above the statement
import torch


def scale(x):
    # devicefix: ignore[DFX201]
    return x * torch.pi


print(scale(torch.ones(2)).sum().item())

# output
import torch


def scale(x):
    return x * torch.pi


print(scale(torch.ones(2)).sum().item())

# case: what else the comment says stays
import torch

x = torch.ones(2)  # type: ignore # devicefix: ignore[DFX201]
y = torch.ones(2)  # devicefix: ignore: the server has no GPU
z = torch.ones(2)  # devicefix: ignore[DFX201] # noqa
print((x + y + z).sum().item())

# output
import torch

x = torch.ones(2)  # type: ignore
y = torch.ones(2)  # the server has no GPU
z = torch.ones(2)  # noqa
print((x + y + z).sum().item())

# case: one code of several
import torch
from torch import nn

model = nn.Linear(2, 1)
if torch.cuda.is_available():
    model.cuda()
x = torch.ones(1, 2)
if x.numel():
    x.cuda().sum().item(); print("there")  # devicefix: ignore[DFX103,DFX201, dfx9]

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(2, 1)
model.to(device)
x = torch.ones(1, 2)
if x.numel():
    x.cuda().sum().item(); print("there")  # devicefix: ignore[DFX201]

# case: codes that were never given
import torch

x = torch.ones(2)  # devicefix: ignore[DFX999, ACME1]
print(x.sum().item())

# output
import torch

x = torch.ones(2)  # devicefix: ignore[ACME1]
print(x.sum().item())

# case: it suppresses something
import torch

x = torch.ones(2)
if x.numel():
    print(x.cuda().device.type)  # devicefix: ignore[DFX201]
    print(x.cuda().sum().item())  # devicefix: ignore

# case: on another line of the statement
import torch

x = torch.ones(2)
if x.numel():
    print(
        x.cuda().sum().item(),
        "and more",  # devicefix: ignore[DFX2]
    )

# case: rules that are not selected
import torch

x = torch.ones(2)  # devicefix: ignore[DFX503, DFX211]
print(x.sum().item())

# case: kept on purpose
import torch

x = torch.ones(2)  # devicefix: ignore[DFX103, DFX701]
print(x.sum().item())

# case: conversions see other texts
import torch

x = torch.ones(2)  # devicefix: ignore[DFX606]
print(x.sum().item())

# case: no comment, and one that names nothing
# reports: DFX701
import torch

text = "# devicefix: ignore[DFX103]"
x = torch.ones(2)  # devicefix: ignore[]
print(text, x.sum().item())
