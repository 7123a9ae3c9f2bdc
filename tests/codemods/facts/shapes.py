# case: what has a shape is no list
import torch
from torch import nn


def clip(boxes, image):
    _, width = image.shape
    return torch.clamp(boxes, max=width)


net = nn.Linear(3, 3)
images = [torch.ones(2, 3) for _ in range(3)]
for one in (True, False):
    print(clip(net(images[0]), images[0] if one else torch.stack(images)[0]).sum())
    if one > 1:
        print(clip(net(images[0]), images))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def clip(boxes, image):
    _, width = image.shape
    return torch.clamp(boxes, max=width)


net = nn.Linear(3, 3).to(device)
images = [torch.ones(2, 3, device=device) for _ in range(3)]
for one in (True, False):
    print(clip(net(images[0]), images[0] if one else torch.stack(images)[0]).sum())
    if one > 1:
        print(clip(net(images[0]), images))

# case: what was not seen gives something of a list
# reports: DFX101 DFX103
import lib
import torch
from torch import nn


def clip(boxes, images):
    width = lib.bounds(images)
    return torch.clamp(boxes, max=width)


net = nn.Linear(3, 3)
images = [torch.ones(2, 3) for _ in range(3)]
print(clip(net(images[0]), images))

# case: one size makes one dimension, and an item of that may be on the CPU
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 4).to(device)
sizes = torch.zeros(5)
print((model.weight.abs() > sizes[2]).sum().item())
rows = torch.zeros(5, 4)
print(model.weight.gt(rows[2]).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 4).to(device)
sizes = torch.zeros(5)
print((model.weight.abs() > sizes[2]).sum().item())
rows = torch.zeros(5, 4, device=device)
print(model.weight.gt(rows[2]).sum().item())
