
# case: a part that is used before it is a part is moved by itself
import torch
from torch import nn

c = nn.Linear(3, 3)
x = torch.randn(4, 3)
print("%.5f" % c(x).sum().item())
net = nn.Sequential(nn.Linear(3, 3), c)
net(x).mean().backward()

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

c = nn.Linear(3, 3).to(device)
x = torch.randn(4, 3, device=device)
print("%.5f" % c(x).sum().item())
net = nn.Sequential(nn.Linear(3, 3), c).to(device)
net(x).mean().backward()

# case: what is made and used before it is returned as a part is moved by itself
import torch
from torch import nn

def build():
    body = nn.Linear(4, 3)
    n = body(torch.zeros(1, 4)).shape[1]
    return nn.Sequential(body, nn.Linear(n, 2))

net = build()
print("%.5f" % net(torch.ones(2, 4)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def build():
    body = nn.Linear(4, 3).to(device)
    n = body(torch.zeros(1, 4, device=device)).shape[1]
    return nn.Sequential(body, nn.Linear(n, 2)).to(device)

net = build()
print("%.5f" % net(torch.ones(2, 4, device=device)).sum().item())

# case: a module that takes another's place in a list is moved once
import torch
from torch import nn

nets = [nn.Linear(4, 2)]
x = torch.randn(5, 4)
print(sum(n(x).sum().item() for n in nets))
nets[0] = nn.Linear(4, 2)
print(sum(n(x).sum().item() for n in nets))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

nets = [nn.Linear(4, 2).to(device)]
x = torch.randn(5, 4, device=device)
print(sum(n(x).sum().item() for n in nets))
nets[0] = nn.Linear(4, 2).to(device)
print(sum(n(x).sum().item() for n in nets))

# case: a part that a module gets later, and that has nothing but a buffer, is moved by itself
import torch
from torch import nn

class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gain = torch.full((n,), 0.5)

    def forward(self, X):
        return X * self.gain

net = nn.Sequential(nn.Linear(3, 3))
net.append(Gain(3))
print("%.5f" % net(torch.ones(2, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("gain", torch.full((n,), 0.5), persistent=False)

    def forward(self, X):
        return X * self.gain

net = nn.Sequential(nn.Linear(3, 3)).to(device)
net.append(Gain(3).to(device))
print("%.5f" % net(torch.ones(2, 3, device=device)).sum().item())

# case: a weight that is read before its module is a part
import torch
from torch import nn

c = nn.Linear(3, 3)
x = torch.randn(4, 3)
print("%.5f" % (x @ c.weight).sum().item())
net = nn.Sequential(nn.Linear(3, 3), c)
net(x).mean().backward()

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

c = nn.Linear(3, 3).to(device)
x = torch.randn(4, 3, device=device)
print("%.5f" % (x @ c.weight).sum().item())
net = nn.Sequential(nn.Linear(3, 3), c).to(device)
net(x).mean().backward()

# case: what computes a parameter is a part of its module, and moves with it
import torch
from torch import nn
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import orthogonal, weight_norm, spectral_norm


class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gain = torch.full((n, 1), 0.5)

    def forward(self, X):
        return X * self.gain


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        parametrize.register_parametrization(self.a, "weight", Gain(3))
        self.b = orthogonal(nn.Linear(3, 3))
        self.c = weight_norm(nn.Linear(3, 3))
        self.w = nn.Parameter(torch.ones(3, 3))
        parametrize.register_parametrization(self, "w", Gain(3))

    def forward(self, x):
        return self.c(self.b(self.a(x))) @ self.w


torch.manual_seed(0)
net = Net()
print("%.4f" % net(torch.ones(2, 3)).sum().item())
print("%.4f" % net.a.parametrizations.weight.original.sum().item(), "%.4f" % net.c.parametrizations.weight.original0.sum().item())
print("%.4f" % net.a.parametrizations.weight[0](torch.ones(3, 3)).sum().item())

# output
import torch
from torch import nn
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import orthogonal, weight_norm, spectral_norm

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("gain", torch.full((n, 1), 0.5), persistent=False)

    def forward(self, X):
        return X * self.gain


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        parametrize.register_parametrization(self.a, "weight", Gain(3))
        self.b = orthogonal(nn.Linear(3, 3))
        self.c = weight_norm(nn.Linear(3, 3))
        self.w = nn.Parameter(torch.ones(3, 3))
        parametrize.register_parametrization(self, "w", Gain(3))

    def forward(self, x):
        return self.c(self.b(self.a(x))) @ self.w


torch.manual_seed(0)
net = Net().to(device)
print("%.4f" % net(torch.ones(2, 3, device=device)).sum().item())
print("%.4f" % net.a.parametrizations.weight.original.sum().item(), "%.4f" % net.c.parametrizations.weight.original0.sum().item())
print("%.4f" % net.a.parametrizations.weight[0](torch.ones(3, 3, device=device)).sum().item())

# case: what computes a parameter is moved by itself where its module was moved before
import torch
from torch import nn
import torch.nn.utils.parametrize as P


class Sym(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).T


class Mix(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, X):
        return self.lin(X) + torch.eye(3)


torch.manual_seed(0)
c = nn.Linear(3, 3)
P.register_parametrization(c, "weight", Sym())
P.register_parametrization(c, "weight", Mix())
print("%.4f" % c(torch.ones(2, 3)).sum().item())
P.remove_parametrizations(c, "weight")
print("%.4f" % c(torch.ones(2, 3)).sum().item())

# output
import torch
from torch import nn
import torch.nn.utils.parametrize as P

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Sym(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).T


class Mix(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, X):
        return self.lin(X) + torch.eye(3, device=X.device)


torch.manual_seed(0)
c = nn.Linear(3, 3).to(device)
P.register_parametrization(c, "weight", Sym())
P.register_parametrization(c, "weight", Mix().to(device))
print("%.4f" % c(torch.ones(2, 3, device=device)).sum().item())
P.remove_parametrizations(c, "weight")
print("%.4f" % c(torch.ones(2, 3, device=device)).sum().item())

# case: what computes a parameter waits on the CPU with its module
import torch
from torch import nn
import torch.nn.utils.parametrize as P

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gain = torch.full((n, 1), 0.5)

    def forward(self, X):
        return X * self.gain


torch.manual_seed(0)
c = nn.Linear(3, 3)
P.register_parametrization(c, "weight", Gain(3))
net = nn.Sequential(c, nn.Linear(3, 3)).to(device)
print("%.4f" % net(torch.ones(2, 3, device=device)).sum().item())
print("%.4f" % c.weight.sum().item())

# output
import torch
from torch import nn
import torch.nn.utils.parametrize as P

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("gain", torch.full((n, 1), 0.5), persistent=False)

    def forward(self, X):
        return X * self.gain


torch.manual_seed(0)
c = nn.Linear(3, 3)
P.register_parametrization(c, "weight", Gain(3))
net = nn.Sequential(c, nn.Linear(3, 3)).to(device)
print("%.4f" % net(torch.ones(2, 3, device=device)).sum().item())
print("%.4f" % c.weight.sum().item())

# case: what may become a buffer waits on the CPU with its module
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, n)
        self.gain = torch.full((n,), 0.5)

    def forward(self, X):
        return self.lin(X) * self.gain

net = Gain(3)
print("%.4f" % net(torch.ones(2, 3)).sum().item())
net.to(device)
print("%.4f" % net(torch.ones(2, 3, device=device)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, n)
        self.register_buffer("gain", torch.full((n,), 0.5), persistent=False)

    def forward(self, X):
        return self.lin(X) * self.gain

net = Gain(3)
print("%.4f" % net(torch.ones(2, 3)).sum().item())
net.to(device)
print("%.4f" % net(torch.ones(2, 3, device=device)).sum().item())

# case: what a list of modules is extended by is moved by itself
import torch
from torch import nn

layers = nn.ModuleList([nn.Linear(3, 3)])
layers.extend([nn.Linear(3, 2), nn.ReLU()])
h = torch.randn(4, 3)
for layer in layers:
    h = layer(h)
print("%.5f" % h.sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

layers = nn.ModuleList([nn.Linear(3, 3)]).to(device)
layers.extend([nn.Linear(3, 2).to(device), nn.ReLU()])
h = torch.randn(4, 3, device=device)
for layer in layers:
    h = layer(h)
print("%.5f" % h.sum().item())

# case: what a dict of modules is updated by is moved by itself, and has its name
import torch
from torch import nn

heads = nn.ModuleDict({"a": nn.Linear(3, 2)})
heads.update({"b": nn.Linear(3, 2)})
h = torch.randn(4, 3)
print("%.5f" % sum(head(h).sum() for head in heads.values()).item())
print("%.5f" % heads["b"](h).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

heads = nn.ModuleDict({"a": nn.Linear(3, 2)}).to(device)
heads.update({"b": nn.Linear(3, 2).to(device)})
h = torch.randn(4, 3, device=device)
print("%.5f" % sum(head(h).sum() for head in heads.values()).item())
print("%.5f" % heads["b"](h).sum().item())

# case: a layer that nobody has seen is given to a container, and moves with it
import torch
from lab import make_layer

model = torch.nn.Sequential(torch.nn.ReLU(), make_layer())
y = model(torch.rand(1, 3, 8, 8))
print(torch.mm(y[0, 0], y[0, 0].t()).sum().item())

# output
import torch
from lab import make_layer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Sequential(torch.nn.ReLU(), make_layer()).to(device)
y = model(torch.rand(1, 3, 8, 8, device=device))
print(torch.mm(y[0, 0], y[0, 0].t()).sum().item())

# case: a layer that nobody has seen comes behind the move
# reports: DFX101 DFX103
import torch
from lab import make_layer

model = torch.nn.Sequential(torch.nn.ReLU())
model.add_module("last", make_layer())
y = model(torch.rand(1, 3, 8, 8))
print(torch.mm(y[0, 0], y[0, 0].t()).sum().item())

# case: the same, by its number
# reports: DFX101 DFX103
import torch
from lab import make_layer

model = torch.nn.Sequential(torch.nn.ReLU())
model.append(make_layer())
y = model(torch.rand(1, 3, 8, 8))
print(torch.mm(y[0, 0], y[0, 0].t()).sum().item())

# case: the same, as an attribute
# reports: DFX101 DFX103
import torch
from lab import make_layer

model = torch.nn.Sequential(torch.nn.ReLU())
model.last = make_layer()
y = model(torch.rand(1, 3, 8, 8))
print(torch.mm(y[0, 0], y[0, 0].t()).sum().item())

# case: the layers of a model that nobody has seen
# reports: DFX101 DFX103
import torch
from lab import make_layers

model = torch.nn.Sequential()
for name, layer in make_layers().named_children():
    model.add_module(name, layer)
y = model(torch.rand(1, 3, 8, 8))
print(torch.mm(y[0, 0], y[0, 0].t()).sum().item())

# case: a model that becomes a part of another one on some paths
import sys
import torch
import torch.nn as nn

net = nn.Linear(3, 2)
if len(sys.argv) > 1:
    net = nn.Sequential(net, nn.ReLU())
print(net(torch.randn(4, 3)).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 2).to(device)
if len(sys.argv) > 1:
    net = nn.Sequential(net, nn.ReLU()).to(device)
print(net(torch.randn(4, 3, device=device)).shape)

# case: a model that a function may wrap
import torch
import torch.nn as nn


def wrapped(net, parallel=False):
    if parallel:
        net = nn.DataParallel(net)
    return net


net = wrapped(nn.Linear(3, 2))
print(net(torch.randn(4, 3)).shape)

# output
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def wrapped(net, parallel=False):
    if parallel:
        net = nn.DataParallel(net).to(device)
    return net


net = wrapped(nn.Linear(3, 2).to(device))
print(net(torch.randn(4, 3, device=device)).shape)

# case: a function that gives a model, or one that has it as a part
import sys
import torch
import torch.nn as nn


def build(kind):
    net = nn.Linear(3, 2)
    if kind == "relu":
        return nn.Sequential(net, nn.ReLU())
    return net


for kind in ("relu", None):
    net = build(kind)
    print(net(torch.randn(4, 3)).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def build(kind):
    net = nn.Linear(3, 2)
    if kind == "relu":
        return nn.Sequential(net, nn.ReLU())
    return net


for kind in ("relu", None):
    net = build(kind).to(device)
    print(net(torch.randn(4, 3, device=device)).shape)

# case: parts that are called by themselves, and a model of them on some paths
import sys
import torch
import torch.nn as nn


def features(deep):
    layers = [nn.Linear(3, 3)]
    if deep:
        layers = layers + [nn.ReLU(), nn.Linear(3, 3)]
    return nn.Sequential(*layers) if len(layers) > 1 else layers[0]


net = features(len(sys.argv) > 1)
head = nn.Linear(3, 2)
model = nn.Sequential(net, head) if len(sys.argv) > 2 else None
x = torch.ones(4, 3)
print((model(x) if model is not None else head(net(x))).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def features(deep):
    layers = [nn.Linear(3, 3).to(device)]
    if deep:
        layers = layers + [nn.ReLU(), nn.Linear(3, 3).to(device)]
    return nn.Sequential(*layers).to(device) if len(layers) > 1 else layers[0]


net = features(len(sys.argv) > 1)
head = nn.Linear(3, 2).to(device)
model = nn.Sequential(net, head).to(device) if len(sys.argv) > 2 else None
x = torch.ones(4, 3, device=device)
print((model(x) if model is not None else head(net(x))).shape)

# case: a list of modules that becomes a module on some paths
import sys
import torch
import torch.nn as nn

nets = [nn.Linear(3, 2)]
if len(sys.argv) > 1:
    nets.append(nn.Linear(3, 2))
ensemble = nn.ModuleList(nets) if len(sys.argv) > 2 else nets
print(sum(net(torch.ones(1, 3)) for net in ensemble).shape)

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

nets = [nn.Linear(3, 2).to(device)]
if len(sys.argv) > 1:
    nets.append(nn.Linear(3, 2).to(device))
ensemble = nn.ModuleList(nets).to(device) if len(sys.argv) > 2 else nets
print(sum(net(torch.ones(1, 3, device=device)) for net in ensemble).shape)
