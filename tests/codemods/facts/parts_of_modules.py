# case: the parts that a parameter gives by their names are modules
import torch
from torch import nn


def part_of(module, wanted):
    for name, part in module.named_modules():
        if name == wanted:
            return part
    raise ValueError(wanted)


def linears(module):
    return {name: part for name, part in module.named_modules() if isinstance(part, nn.Linear)}


def scale(module, names):
    for name in names:
        part = part_of(module, name)
        part.cuda()
        print(part.weight.sum().item())
        part.cpu()
    found = linears(module)
    for name in found:
        found[name].cuda()

# output
import torch
from torch import nn


def part_of(module, wanted):
    for name, part in module.named_modules():
        if name == wanted:
            return part
    raise ValueError(wanted)


def linears(module):
    return {name: part for name, part in module.named_modules() if isinstance(part, nn.Linear)}


def scale(module, names):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for name in names:
        part = part_of(module, name)
        part.to(device)
        print(part.weight.sum().item())
        part.cpu()
    found = linears(module)
    for name in found:
        found[name].to(device)

# case: what it gives by another method may be anything
# reports: DFX201
import torch


def scale(module):
    for name, part in module.named_things():
        part.cuda()
        print(name)

# case: modules that may have no parameters are not asked for one
import torch
from torch import nn


class Optional(nn.Module):
    def __init__(self, use):
        super().__init__()
        self.lin = nn.Linear(3, 3) if use else None

    def forward(self, n):
        pos = torch.zeros(n, 3)
        if self.lin is not None:
            return self.lin(pos)
        return pos


class Sometimes(nn.Module):
    def __init__(self, use):
        super().__init__()
        if use:
            self.shift = nn.Parameter(torch.ones(3))

    def forward(self, n):
        pos = torch.zeros(n, 3)
        return nn.functional.relu(pos)


class Plain(nn.Module):
    def __init__(self, dim, affine):
        super().__init__()
        self.norm = nn.LayerNorm(dim, elementwise_affine=affine)

    def forward(self, n):
        pos = torch.zeros(n, 3)
        return self.norm(pos)


class Either(nn.Module):
    def __init__(self, use):
        super().__init__()
        if use:
            self.net = nn.Linear(3, 3)
        else:
            self.net = nn.Conv1d(3, 3, 1)

    def forward(self, n):
        pos = torch.zeros(n, 3)
        return self.net(pos)

# output
import torch
from torch import nn


class Optional(nn.Module):
    def __init__(self, use):
        super().__init__()
        self.lin = nn.Linear(3, 3) if use else None

    def forward(self, n):
        pos = torch.zeros(n, 3)
        if self.lin is not None:
            return self.lin(pos.to(next(self.lin.parameters()).device))
        return pos


class Sometimes(nn.Module):
    def __init__(self, use):
        super().__init__()
        if use:
            self.shift = nn.Parameter(torch.ones(3))

    def forward(self, n):
        pos = torch.zeros(n, 3)
        return nn.functional.relu(pos)


class Plain(nn.Module):
    def __init__(self, dim, affine):
        super().__init__()
        self.norm = nn.LayerNorm(dim, elementwise_affine=affine)

    def forward(self, n):
        pos = torch.zeros(n, 3)
        return self.norm(pos)


class Either(nn.Module):
    def __init__(self, use):
        super().__init__()
        if use:
            self.net = nn.Linear(3, 3)
        else:
            self.net = nn.Conv1d(3, 3, 1)

    def forward(self, n):
        pos = torch.zeros(n, 3, device=self.net.weight.device)
        return self.net(pos)

# case: a part that a method may not have made
import torch
from torch import nn


class Lazy(nn.Module):
    def build(self, width):
        self.net = nn.Linear(width, 3)

    def forward(self, n):
        pos = torch.zeros(n, 3)
        return self.net(pos) if hasattr(self, "net") else pos


class Built(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.build(width)

    def build(self, width):
        self.net = nn.Linear(width, 3)

    def forward(self, n):
        pos = torch.zeros(n, 3)
        return self.net(pos)

# output
import torch
from torch import nn


class Lazy(nn.Module):
    def build(self, width):
        self.net = nn.Linear(width, 3)

    def forward(self, n):
        pos = torch.zeros(n, 3)
        return self.net(pos.to(self.net.weight.device)) if hasattr(self, "net") else pos


class Built(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.build(width)

    def build(self, width):
        self.net = nn.Linear(width, 3)

    def forward(self, n):
        pos = torch.zeros(n, 3, device=self.net.weight.device)
        return self.net(pos)

# case: a list that a ParameterList takes the place of
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, pools=2):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        if pools:
            self.maps = []
            for _ in range(pools):
                weight = nn.Parameter(torch.Tensor(3, 1))
                nn.init.ones_(weight)
                self.maps.append(weight)
            self.maps = nn.ParameterList(self.maps)

    def forward(self, x):
        x = self.fc(x)
        for i in range(2):
            x = x * torch.mm(x, self.maps[i])
        return x


net = Net().to(device)
print(net(torch.zeros(2, 3).to(device)).shape)
