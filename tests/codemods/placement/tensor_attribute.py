# case: frequencies of a module that nobody moves
import math

import torch
from torch import nn


class Fourier(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.frequencies = torch.arange(1, size + 1) * math.pi  # one per octave
        self.out = nn.Linear(size, 1)

    def forward(self, x):
        return self.out(torch.sin(x * self.frequencies))


torch.manual_seed(0)
net = Fourier(4)
print(net(torch.linspace(0, 1, 5).unsqueeze(1)).sum().item())

# output
import math

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Fourier(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("frequencies", torch.arange(1, size + 1) * math.pi, persistent=False)  # one per octave
        self.out = nn.Linear(size, 1)

    def forward(self, x):
        return self.out(torch.sin(x * self.frequencies))


torch.manual_seed(0)
net = Fourier(4).to(device)
print(net(torch.linspace(0, 1, 5, device=device).unsqueeze(1)).sum().item())

# case: a table that is filled first, in a module that the program moves
import torch
import torch.nn as nn

device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')


class Positions(nn.Module):
    def __init__(self, size, length=50):
        super(Positions, self).__init__()
        table = torch.zeros(length, size)
        steps = torch.arange(length).unsqueeze(1).float()
        table[:, 0::2] = torch.sin(steps)
        table[:, 1::2] = torch.cos(steps)
        self.table=table.unsqueeze(0)

    def forward(self, x):
        return x + self.table[:, :x.size(1)]


net = nn.Sequential(nn.Linear(3, 4), Positions(4)).to(device)
print(net(torch.ones(2, 7, 3, device=device)).shape)

# output
import torch
import torch.nn as nn

device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')


class Positions(nn.Module):
    def __init__(self, size, length=50):
        super(Positions, self).__init__()
        table = torch.zeros(length, size)
        steps = torch.arange(length).unsqueeze(1).float()
        table[:, 0::2] = torch.sin(steps)
        table[:, 1::2] = torch.cos(steps)
        self.register_buffer('table', table.unsqueeze(0), persistent=False)

    def forward(self, x):
        return x + self.table[:, :x.size(1)]


net = nn.Sequential(nn.Linear(3, 4), Positions(4)).to(device)
print(net(torch.ones(2, 7, 3, device=device)).shape)

# case: both branches, none first, and one made from another
import torch
from torch import nn


class Blend(nn.Module):
    def __init__(self, size, sharp=False, bias=False):
        super().__init__()
        self.fc = nn.Linear(size, size)
        if sharp:
            self.weight = torch.ones(size)
        else:
            self.weight = torch.linspace(
                0,  # start
                1,
                size,
            )
        self.rest = 1 - self.weight
        self.bias = None
        if bias:
            self.bias = torch.zeros(size)

    def forward(self, x):
        y = x * self.rest + self.fc(x) * self.weight
        return y if self.bias is None else y + self.bias


torch.manual_seed(1)
net = Blend(3, bias=True)
print(net(torch.ones(2, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Blend(nn.Module):
    def __init__(self, size, sharp=False, bias=False):
        super().__init__()
        self.fc = nn.Linear(size, size)
        if sharp:
            self.register_buffer("weight", torch.ones(size), persistent=False)
        else:
            self.register_buffer("weight", torch.linspace(
                0,  # start
                1,
                size,
            ), persistent=False)
        self.register_buffer("rest", 1 - self.weight, persistent=False)
        self.register_buffer("bias", None, persistent=False)
        if bias:
            self.bias = torch.zeros(size)

    def forward(self, x):
        y = x * self.rest + self.fc(x) * self.weight
        return y if self.bias is None else y + self.bias


torch.manual_seed(1)
net = Blend(3, bias=True).to(device)
print(net(torch.ones(2, 3, device=device)).sum().item())

# case: a state that forward replaces, and data of NumPy in parentheses
import numpy as np
import torch
from torch import nn


class Running(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.mean = (
            torch.from_numpy(np.zeros(3))
            .float()
        )

    def forward(self, x):
        y = self.fc(x)
        self.mean = 0.9 * self.mean + 0.1 * y.detach().mean(0)
        return y - self.mean


torch.manual_seed(2)
net = Running()
for _ in range(3):
    y = net(torch.ones(5, 3))
print(y.sum().item())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Running(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.register_buffer("mean", (
            torch.from_numpy(np.zeros(3))
            .float()
        ), persistent=False)

    def forward(self, x):
        y = self.fc(x)
        self.mean = 0.9 * self.mean + 0.1 * y.detach().mean(0)
        return y - self.mean


torch.manual_seed(2)
net = Running().to(device)
for _ in range(3):
    y = net(torch.ones(5, 3, device=device))
print(y.sum().item())

# case: a loss with a tensor of its own has to move, too
import torch
import torch.nn.functional as F
from torch import nn


class Focal(nn.Module):
    def __init__(self):
        super().__init__()
        self.alpha = torch.tensor([0.25, 0.75])

    def forward(self, scores, target):
        p = scores.softmax(-1).gather(1, target.unsqueeze(1)).squeeze(1)
        return (-self.alpha[target] * (1 - p) ** 2 * p.log()).mean() + self.alpha.sum() * p.mean()


torch.manual_seed(0)
net = nn.Linear(3, 2)
loss = Focal()
for _ in range(2):
    loss(net(torch.ones(4, 3)), torch.tensor([0, 1, 1, 0])).backward()
print(net.weight.grad.sum().item())

# output
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Focal(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("alpha", torch.tensor([0.25, 0.75]), persistent=False)

    def forward(self, scores, target):
        p = scores.softmax(-1).gather(1, target.unsqueeze(1)).squeeze(1)
        return (-self.alpha[target] * (1 - p) ** 2 * p.log()).mean() + self.alpha.sum() * p.mean()


torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
loss = Focal().to(device)
for _ in range(2):
    loss(net(torch.ones(4, 3, device=device)), torch.tensor([0, 1, 1, 0], device=device)).backward()
print(net.weight.grad.sum().item())

# case: a class that other programs make
import torch
from torch import nn


class Mask(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.mask = torch.ones(size, size).tril()

    def forward(self, scores):
        return torch.softmax(scores.masked_fill(self.mask == 0, float("-inf")), dim=-1)

# output
import torch
from torch import nn


class Mask(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("mask", torch.ones(size, size).tril(), persistent=False)

    def forward(self, scores):
        return torch.softmax(scores.masked_fill(self.mask == 0, float("-inf")), dim=-1)

# case: buffers and parameters travel already
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.ones(3))
        self.mask = self.mask * 2
        self.scale = nn.Parameter(torch.ones(3))
        self.shift = nn.Buffer(torch.zeros(3))

    def forward(self, x):
        return x * self.mask * self.scale + self.shift


print(Net().to(device)(torch.ones(2, 3, device=device)))

# case: moved where it is used
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.mask = torch.ones(3)

    def forward(self, x):
        return self.fc(x) * self.mask.to(x.device)


print(Net().to(device)(torch.ones(2, 3, device=device)))

# case: made on the device that the caller names
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.mask = torch.ones(3, device=device)

    def forward(self, x):
        return self.fc(x) * self.mask


print(Net(device).to(device)(torch.ones(2, 3, device=device)))

# case: only the host looks at it
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.anchors = torch.ones(3)
        self.sizes = torch.tensor([1, 2, 3])

    def forward(self, x):
        return self.fc(x)[:, : len(self.anchors)]

    def table(self):
        return self.sizes.numpy(), self.anchors.tolist()


net = Net().to(device)
print(net(torch.ones(2, 3, device=device)), net.table())

# case: an index of a device tensor may stay on the host
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Shuffle(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Linear(size, size)
        self.order = torch.arange(size - 1, -1, -1)

    def forward(self, x):
        return self.fc(x)[:, self.order]


print(Shuffle(3).to(device)(torch.ones(2, 3, device=device)))

# case: a module that never meets an accelerator
import torch
from torch import nn


class Mask(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(3)

    def forward(self, x):
        return x * self.mask


print(Mask()(torch.ones(2, 3)).numpy())

# case: an attribute of a class that is no module
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Scaler:
    def __init__(self):
        self.scale = torch.ones(3, device=device)

    def __call__(self, x):
        return x * self.scale


net = torch.nn.Linear(3, 3).to(device)
print(net(Scaler()(torch.ones(2, 3, device=device))))

# case: a 0-dim tensor in arithmetic may stay on the host
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.scale = torch.tensor(2.0)

    def forward(self, x):
        return self.fc(x) * self.scale


print(Net().to(device)(torch.ones(2, 3, device=device)))
