
# case: a switch around a question whether there is an accelerator
# reports: DFX103 DFX204
import argparse
import torch
from torch import nn
p = argparse.ArgumentParser(); p.add_argument("--cpu", action="store_true"); a = p.parse_args()
net = nn.Linear(3, 2)
x = torch.ones(3)

if not a.cpu:
    if torch.cuda.is_available():
        net.cuda()
        x = x.cuda()
print(net(x).sum().item())

# case: a switch below a question whether there is an accelerator
# reports: DFX103
import argparse
import torch
from torch import nn
p = argparse.ArgumentParser(); p.add_argument("--cpu", action="store_true"); a = p.parse_args()
net = nn.Linear(3, 2)
x = torch.ones(3)

if torch.cuda.is_available():
    if not a.cpu:
        net.cuda()
        x = x.cuda()
        name = "gpu"
print(net(x).sum().item())

# case: a switch around more than moves
# reports: DFX103
import argparse
import torch
from torch import nn
torch.manual_seed(0)
p = argparse.ArgumentParser(); p.add_argument("--cpu", action="store_true"); a = p.parse_args()
net = nn.Linear(3, 2); x = torch.ones(3)
if not a.cpu:
    if torch.cuda.is_available():
        net.cuda(); x = x.cuda(); name = "gpu"
    else: name = "none"
print(net(x).sum().item())

# case: a function returns before it moves
# reports: DFX103 DFX105 DFX204
import sys
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
def put(x):
    if "cpu" in sys.argv: return x
    if torch.cuda.is_available(): return x.cuda()
    return x
net = put(net); x = put(torch.ones(3)); print((net(x) + put(torch.ones(2))).sum().item())

# case: another branch asks for the accelerator
# reports: DFX103
import sys
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2); x = torch.ones(3); m = sys.argv[1] if len(sys.argv) > 1 else "gpu"
if m == "cpu": pass
elif m == "half": net, x = net.double(), x.double()
elif torch.cuda.is_available(): net, x = net.cuda(), x.cuda(); k = 1
print(net(x).sum().item())

# case: an exception is raised before something is moved
# reports: DFX103 DFX204
import sys
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2); x = torch.ones(3)
try:
    if "cpu" in sys.argv: raise ValueError
    if torch.cuda.is_available(): net.cuda(); x = x.cuda()
except ValueError: pass
print(net(x).sum().item())

# case: a loop asks in each of its turns
# reports: DFX105 DFX201
import sys
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2); x = torch.ones(3)
for arg in sys.argv[1:] or ["gpu"]:
    if arg == "gpu":
        if torch.cuda.is_available(): net.cuda(); x = x.cuda(); n = 1
print(net(x).sum().item())

# case: a table of functions, one of which moves
# reports: DFX103 DFX105
import sys
import torch
from torch import nn
torch.manual_seed(0)
PUT = {"cpu": lambda t: t, "gpu": lambda t: t.cuda() if torch.cuda.is_available() else t}
put = PUT["cpu" if "cpu" in sys.argv else "gpu"]
net = put(nn.Linear(3, 2)); print((net(put(torch.ones(3))) + put(torch.ones(2))).sum().item())

# output
import sys
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
PUT = {"cpu": lambda t: t, "gpu": lambda t: t.to(device)}
put = PUT["cpu" if "cpu" in sys.argv else "gpu"]
net = put(nn.Linear(3, 2)); print((net(put(torch.ones(3))) + put(torch.ones(2))).sum().item())

# case: one of two functions moves
# reports: DFX103 DFX105
import sys
import torch
from torch import nn
torch.manual_seed(0)
def to_gpu(t): return t.cuda() if torch.cuda.is_available() else t
put = to_gpu if "cpu" not in sys.argv else (lambda t: t)
net = put(nn.Linear(3, 2)); print((net(put(torch.ones(3))) + put(torch.ones(2))).sum().item())

# output
import sys
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
def to_gpu(t): return t.to(device)
put = to_gpu if "cpu" not in sys.argv else (lambda t: t)
net = put(nn.Linear(3, 2)); print((net(put(torch.ones(3))) + put(torch.ones(2))).sum().item())

# case: a subclass moves
# reports: DFX104 DFX105
import sys
import torch
from torch import nn
torch.manual_seed(0)
class Runner:
    def put(self, t): return t
    def __init__(self): self.net = self.put(nn.Linear(3, 2)); self.b = self.put(torch.ones(2))
    def run(self): return (self.net(self.put(torch.ones(3))) + self.b).sum().item()
class Gpu(Runner):
    def put(self, t): return t.cuda() if torch.cuda.is_available() else t
R = Runner if "cpu" in sys.argv else Gpu
print(R().run())

# output
import sys
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
class Runner:
    def put(self, t): return t
    def __init__(self): self.net = self.put(nn.Linear(3, 2)); self.b = self.put(torch.ones(2))
    def run(self): return (self.net(self.put(torch.ones(3))) + self.b).sum().item()
class Gpu(Runner):
    def put(self, t): return t.to(device)
R = Runner if "cpu" in sys.argv else Gpu
print(R().run())

# case: a loop that may not run moves the module
import sys
import torch
from torch import nn

net = nn.Linear(4, 2)
gpus = [0] if torch.cuda.is_available() and len(sys.argv) > 5 else []
for g in gpus:
    net = net.cuda(g)
x = torch.ones(2, 4)
print(net(x).sum().item())

# output
import sys
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(4, 2)
gpus = [0] if torch.cuda.is_available() and len(sys.argv) > 5 else []
for g in gpus:
    net = net.to(device)
x = torch.ones(2, 4, device=next(net.parameters()).device)
print(net(x).sum().item())

# case: a loop moves what it is given
import torch
from torch import nn

nets = [nn.Linear(4, 2), nn.Linear(4, 2)]
for net in nets:
    if torch.cuda.is_available():
        net.cuda()
x = torch.ones(2, 4)
print(sum(net(x).sum().item() for net in nets))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

nets = [nn.Linear(4, 2), nn.Linear(4, 2)]
for net in nets:
    net.to(device)
x = torch.ones(2, 4, device=device)
print(sum(net(x).sum().item() for net in nets))

# case: a function chooses the device by an option
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args([])

def build(args):
    device = torch.device("cuda" if args.cuda and torch.cuda.is_available() else "cpu")
    return nn.Linear(4, 2).to(device)

net = build(args)
x = torch.ones(2, 4)
print(net(x).sum().item())

# output
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args([])

def build(args):
    device = torch.device("cuda" if args.cuda and torch.cuda.is_available() else "cpu")
    return nn.Linear(4, 2).to(device)

net = build(args)
x = torch.ones(2, 4, device=next(net.parameters()).device)
print(net(x).sum().item())

# case: a function chooses the device by the number of a GPU
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=-1)
args = parser.parse_args([])

def build(args):
    device = torch.device("cpu")
    if args.gpu >= 0:
        device = torch.device(f"cuda:{args.gpu}")
    return nn.Linear(4, 2).to(device)

net = build(args)
print(net(torch.ones(2, 4)).sum().item())

# output
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=-1)
args = parser.parse_args([])

def build(args):
    device = torch.device("cpu")
    if args.gpu >= 0:
        device = torch.device(f"cuda:{args.gpu}" if torch.cuda.is_available() else "cpu")
    return nn.Linear(4, 2).to(device)

net = build(args)
print(net(torch.ones(2, 4, device=next(net.parameters()).device)).sum().item())

# case: an option decides where the input goes, and the model is not moved
# reports: DFX101
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument('--cpu', action='store_true')
args = parser.parse_args([])

model = nn.Linear(4, 2)
device = torch.device('cpu' if args.cpu else 'cuda')
x = torch.randn(3, 4).to(device)
print(model(x).sum().item())

# case: a function asks the option, and is given the model
# reports: DFX101
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument('--cpu', action='store_true')
args = parser.parse_args([])


def run(args, model):
    device = torch.device('cuda' if args.cpu and torch.cuda.is_available() else 'cpu')
    x = torch.randn(3, 4).to(device)
    print(model(x).sum().item())


run(args, nn.Linear(4, 2))

# case: a part that nobody has seen goes where the option says
import argparse

import torch
from parts import make
from torch import nn


class Model(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.model = make(args).to('cpu' if args.cpu else 'cuda')

    def forward(self, *args):
        return self.model(*args)


class Trainer:
    def __init__(self, args, my_model):
        self.args = args
        self.device = torch.device('cpu' if self.args.cpu else 'cuda')
        self.model = my_model
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.1)

    def train(self):
        x = torch.randn(3, 4).to(self.device)
        print(self.model(x).sum().item())


parser = argparse.ArgumentParser()
parser.add_argument('--cpu', action='store_true')
args = parser.parse_args([])


model = Model(args)
Trainer(args, model).train()

# case: what an option moves in another class, and no fix changes
# reports: DFX201
import argparse

import torch
from parts import make
from torch import nn


class Loss(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.weigh = nn.Linear(2, 1)
        if not args.cpu:
            self.weigh.cuda()
            if args.half:
                self.weigh.half()

    def forward(self, x):
        return self.weigh(x).sum()


class Model(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.cpu = args.cpu
        self.part = make(args)
        if not args.cpu:
            self.part.cuda()
            if args.half:
                self.part.half()

    def forward(self, x):
        return self.part(x)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--half", action="store_true")
    return parser.parse_args([])


args = parse()
print(Loss(args)(Model(args)(torch.ones(3, 2))).item())

# case: a loop over None and a name: both branches run
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, act=None):
        super().__init__()
        self.act = act
        self.out = nn.Linear(3, 2)

    def forward(self, x):
        if self.act is None:
            x = x + torch.zeros(3)
        elif self.act == "relu":
            x = torch.relu(x)
        return self.out(x)


for act in (None, "relu"):
    net = Net(act)
    print(net(torch.randn(4, 3)).shape)

# output
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, act=None):
        super().__init__()
        self.act = act
        self.out = nn.Linear(3, 2)

    def forward(self, x):
        if self.act is None:
            x = x + torch.zeros(3, device=x.device)
        elif self.act == "relu":
            x = torch.relu(x)
        return self.out(x)


for act in (None, "relu"):
    net = Net(act).to(device)
    print(net(torch.randn(4, 3, device=device)).shape)

# case: the same in an expression
import torch
import torch.nn as nn


def noise(x, kind=None):
    return torch.zeros(3) if kind is None else torch.randn(3)


net = nn.Linear(3, 3)
x = torch.randn(4, 3)
for kind in [None, "normal"]:
    y = net(x)
    print((y + noise(y, kind)).shape)

# output
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def noise(x, kind=None):
    return torch.zeros(3, device=x.device) if kind is None else torch.randn(3, device=x.device)


net = nn.Linear(3, 3).to(device)
x = torch.randn(4, 3, device=device)
for kind in [None, "normal"]:
    y = net(x)
    print((y + noise(y, kind)).shape)
