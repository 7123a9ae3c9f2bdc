# case: what is put into the attributes of a module does not move with it
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


net = Net()
vars(net)["mask"] = torch.ones(3)
print("%.5f" % net(torch.randn(6, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


net = Net().to(device)
vars(net)["mask"] = torch.ones(3, device=device)
print("%.5f" % net(torch.randn(6, 3, device=device)).sum().item())

# case: an attribute that is set under a name nobody knows
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net()
for name in ["mask", "other"]:
    setattr(net, name, torch.ones(3))
print("%.5f" % net(torch.randn(6, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net().to(device)
for name in ["mask", "other"]:
    setattr(net, name, torch.ones(3, device=device))
print("%.5f" % net(torch.randn(6, 3, device=device)).sum().item())

# case: an attribute that is put past what its module registers
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net()
object.__setattr__(net, "mask", torch.ones(3))
print("%.5f" % net(torch.randn(6, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net().to(device)
object.__setattr__(net, "mask", torch.ones(3, device=device))
print("%.5f" % net(torch.randn(6, 3, device=device)).sum().item())

# case: attributes that come from keywords
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2
        self.__dict__.update(kw)

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net(mask=torch.ones(3))

print("%.5f" % net(torch.randn(6, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2
        self.__dict__.update(kw)

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net(mask=torch.ones(3, device=device)).to(device)

print("%.5f" % net(torch.randn(6, 3, device=device)).sum().item())

# case: attributes that a function sets in a dict that shows them
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net()
def put(m, name, t):
    vars(m)[name] = t


put(net, "mask", torch.ones(3))
print("%.5f" % net(torch.randn(6, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net().to(device)
def put(m, name, t):
    vars(m)[name] = t


put(net, "mask", torch.ones(3, device=device))
print("%.5f" % net(torch.randn(6, 3, device=device)).sum().item())

# case: what is stored under computed names is behind no other
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net()
for i in range(3):
    setattr(net, f"part{i}", torch.ones(3))
print("%.5f" % net(torch.randn(6, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net().to(device)
for i in range(3):
    setattr(net, f"part{i}", torch.ones(3))
print("%.5f" % net(torch.randn(6, 3, device=device)).sum().item())

# case: a module of which only the name's beginning is known
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2
        for i in range(2):
            setattr(self, "fc%d" % i, nn.Linear(3, 3))
        print("%.4f" % self.fc0(torch.ones(3)).sum().item())

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net()
print("%.5f" % net(torch.randn(6, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.mask = None
        self.flag = 2
        for i in range(2):
            setattr(self, "fc%d" % i, nn.Linear(3, 3))
        print("%.4f" % self.fc0(torch.ones(3)).sum().item())

    def forward(self, x):
        return self.lin(x) if self.mask is None else self.lin(x) * self.mask


torch.manual_seed(0)
net = Net().to(device)
print("%.5f" % net(torch.randn(6, 3, device=device)).sum().item())

# case: a module that is registered nowhere is moved by itself
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, teacher):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        object.__setattr__(self, "teacher", teacher)

    def forward(self, x):
        with torch.no_grad():
            t = self.teacher(x)
        return (self.lin(x) - t).sum()


torch.manual_seed(0)
net = Net(nn.Linear(3, 3))
print("%.5f" % net(torch.randn(6, 3)).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, teacher):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        object.__setattr__(self, "teacher", teacher)

    def forward(self, x):
        with torch.no_grad():
            t = self.teacher(x)
        return (self.lin(x) - t).sum()


torch.manual_seed(0)
net = Net(nn.Linear(3, 3).to(device)).to(device)
print("%.5f" % net(torch.randn(6, 3, device=device)).item())

# case: attributes that are set for all names of a function, and are operands
# reports: DFX101 DFX103
import torch
from torch import nn

class Config:
    def __init__(self, weight, bias):
        for name, value in locals().items():
            if name != "self":
                setattr(self, name, value)

net = nn.Linear(3, 4)
config = Config(torch.ones(4), torch.zeros(4))
print((net(torch.randn(5, 3)) + config.weight * config.bias).sum().item())

# case: an option that is set by its name is asked behind that
import torch


class SSD(object):
    _defaults = {"path": "a.pth", "cuda": True}

    def __init__(self, **kwargs):
        self.__dict__.update(self._defaults)
        for name, value in kwargs.items():
            setattr(self, name, value)
        self.anchors = torch.zeros(3)
        if self.cuda:
            self.anchors = self.anchors.cuda()

# output
import torch


class SSD(object):
    _defaults = {"path": "a.pth", "cuda": True}

    def __init__(self, **kwargs):
        self.__dict__.update(self._defaults)
        for name, value in kwargs.items():
            setattr(self, name, value)
        device = torch.device("cuda" if self.cuda and torch.cuda.is_available() else "cpu")
        self.anchors = torch.zeros(3)
        self.anchors = self.anchors.to(device)

# case: parameters whose names come from data may be none
import torch
import torch.nn as nn


class Density(nn.Module):
    def __init__(self, params_init={}):
        super().__init__()
        for name in params_init:
            setattr(self, name, nn.Parameter(torch.tensor(params_init[name])))

    def noise(self, n):
        return torch.randn(n).cuda()

# output
import torch
import torch.nn as nn


class Density(nn.Module):
    def __init__(self, params_init={}):
        super().__init__()
        for name in params_init:
            setattr(self, name, nn.Parameter(torch.tensor(params_init[name])))

    def noise(self, n):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return torch.randn(n).to(device)
