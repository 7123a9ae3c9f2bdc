# case: a dict that is filtered names the arguments
import sys
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None, bias=None):
        y = self.out(x)
        if mask is not None:
            y = y * mask
        if bias is not None:
            y = y + bias
        return y


net = Net()
options = {"mask": torch.ones(2), "bias": torch.zeros(2) if len(sys.argv) > 1 else None}
options = {k: v for k, v in options.items() if v is not None}
print(net(torch.ones(4, 3), **options).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None, bias=None):
        y = self.out(x)
        if mask is not None:
            y = y * mask
        if bias is not None:
            y = y + bias
        return y


net = Net().to(device)
options = {"mask": torch.ones(2, device=device), "bias": torch.zeros(2, device=device) if len(sys.argv) > 1 else None}
options = {k: v for k, v in options.items() if v is not None}
print(net(torch.ones(4, 3, device=device), **options).shape)

# case: names and values are put together
import sys
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None, bias=None):
        y = self.out(x)
        if mask is not None:
            y = y * mask
        if bias is not None:
            y = y + bias
        return y


net = Net()
names = ["mask", "bias"]
options = dict(zip(names, [torch.ones(2), torch.zeros(2)]))
print(net(torch.ones(4, 3), **options).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None, bias=None):
        y = self.out(x)
        if mask is not None:
            y = y * mask
        if bias is not None:
            y = y + bias
        return y


net = Net().to(device)
names = ["mask", "bias"]
options = dict(zip(names, [torch.ones(2, device=device), torch.zeros(2, device=device)]))
print(net(torch.ones(4, 3, device=device), **options).shape)

# case: a dict that is filled under names that are not known
import sys
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None, bias=None):
        y = self.out(x)
        if mask is not None:
            y = y * mask
        if bias is not None:
            y = y + bias
        return y


net = Net()
options = {}
for name in sys.argv[1:]:
    options[name] = torch.ones(2)
print(net(torch.ones(4, 3), **options).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None, bias=None):
        y = self.out(x)
        if mask is not None:
            y = y * mask
        if bias is not None:
            y = y + bias
        return y


net = Net().to(device)
options = {}
for name in sys.argv[1:]:
    options[name] = torch.ones(2, device=device)
print(net(torch.ones(4, 3, device=device), **options).shape)

# case: pairs, and what a partial function is given
import sys
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None, bias=None):
        y = self.out(x)
        if mask is not None:
            y = y * mask
        if bias is not None:
            y = y + bias
        return y


net = Net()
extra = [("mask", torch.ones(2))]
print(net(torch.ones(4, 3), **dict(extra)).shape)
from functools import partial

forward = partial(net, **{k: torch.ones(2) for k in ("mask",)})
print(forward(torch.ones(4, 3)).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, x, mask=None, bias=None):
        y = self.out(x)
        if mask is not None:
            y = y * mask
        if bias is not None:
            y = y + bias
        return y


net = Net().to(device)
extra = [("mask", torch.ones(2, device=device))]
print(net(torch.ones(4, 3, device=device), **dict(extra)).shape)
from functools import partial

forward = partial(net, **{k: torch.ones(2, device=device) for k in ("mask",)})
print(forward(torch.ones(4, 3, device=device)).shape)
