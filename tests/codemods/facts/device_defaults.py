# case: a device by its default, and things are sent to it
import torch
from torch import nn
from torch.utils.data import DataLoader


def evaluate(model: nn.Module, loader: DataLoader, device="cpu"):
    weight = torch.tensor([0.2, 0.8])
    criterion = nn.CrossEntropyLoss(weight=weight)
    model.to(device)
    loss = 0.0
    for x, y in loader:
        x = x.to(device)
        loss += criterion(model(x), y).item()
    return loss

# output
import torch
from torch import nn
from torch.utils.data import DataLoader


def evaluate(model: nn.Module, loader: DataLoader, device="cpu"):
    weight = torch.tensor([0.2, 0.8], device=device)
    criterion = nn.CrossEntropyLoss(weight=weight)
    model.to(device)
    loss = 0.0
    for x, y in loader:
        y = y.to(device)
        x = x.to(device)
        loss += criterion(model(x), y).item()
    return loss

# case: a default that chooses between two devices
import torch
from torch import nn
from torch.utils.data import DataLoader


def evaluate(model: nn.Module, loader: DataLoader, device="cuda" if torch.cuda.is_available() else "cpu"):
    weight = torch.tensor([0.2, 0.8])
    criterion = nn.CrossEntropyLoss(weight=weight)
    model.to(device)
    loss = 0.0
    for x, y in loader:
        x = x.to(device)
        loss += criterion(model(x), y).item()
    return loss

# output
import torch
from torch import nn
from torch.utils.data import DataLoader


def evaluate(model: nn.Module, loader: DataLoader, device="cuda" if torch.cuda.is_available() else "cpu"):
    weight = torch.tensor([0.2, 0.8], device=device)
    criterion = nn.CrossEntropyLoss(weight=weight)
    model.to(device)
    loss = 0.0
    for x, y in loader:
        y = y.to(device)
        x = x.to(device)
        loss += criterion(model(x), y).item()
    return loss

# case: what things are sent to may be a dtype
import torch
from torch.utils.data import DataLoader


def show(loader: DataLoader, kind=torch.float64):
    weight = torch.tensor([0.2, 0.8])
    for x in loader:
        print(x.to(kind) * weight)

# case: without a default, what things are sent to may be a dtype or a tensor
import torch
from torch.utils.data import DataLoader


def show(loader: DataLoader, kind):
    weight = torch.tensor([0.2, 0.8])
    for x in loader:
        print(x.to(kind) * weight)

# case: nothing is sent to a default that could be a device
import torch
from torch.utils.data import DataLoader


def show(loader: DataLoader, kind="cpu"):
    weight = torch.tensor([0.2, 0.8])
    for x in loader:
        print(kind, x * weight)

# case: a device of the loop, None or the CPU, or where the module is
import torch
import torch.nn as nn


class Trainer:
    def __init__(self, model, device=None):
        self.model = model
        self.device = device or next(model.parameters()).device

    def step(self, x):
        return self.model(x.to(self.device))


for device in (None, "cpu"):
    trainer = Trainer(nn.Linear(3, 2), device)
    print(trainer.step(torch.ones(1, 3)).shape)

# case: options of several runs, one of which names the CPU
import torch
import torch.nn as nn


class Trainer:
    def __init__(self, model, device=None):
        self.model = model
        self.device = device or next(model.parameters()).device

    def step(self, x):
        return self.model(x.to(self.device))


for options in ({}, {"device": "cpu"}):
    trainer = Trainer(nn.Linear(3, 2), **options)
    print(trainer.step(torch.ones(1, 3)).shape)

# case: the same, asked with is None
import torch
import torch.nn as nn


class Trainer:
    def __init__(self, model, device=None):
        self.model = model
        if device is None:
            device = next(model.parameters()).device
        self.device = device

    def step(self, x):
        return self.model(x.to(self.device))


for device in (None, "cpu"):
    trainer = Trainer(nn.Linear(3, 2), device)
    print(trainer.step(torch.ones(1, 3)).shape)

# case: the CPU in one call, and where the module is in the other
import torch
import torch.nn as nn


class Trainer:
    def __init__(self, model, device=None):
        self.model = model
        self.device = device or next(model.parameters()).device

    def step(self, x):
        return self.model(x.to(self.device))


def run(device=None):
    trainer = Trainer(nn.Linear(3, 2), device)
    print(trainer.step(torch.ones(1, 3)).shape)

run()
run("cpu")

# output
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Trainer:
    def __init__(self, model, device=None):
        self.model = model
        self.device = device or next(model.parameters()).device

    def step(self, x):
        return self.model(x.to(self.device))


def run(device=None, torch_device=None):
    trainer = Trainer(nn.Linear(3, 2).to(torch_device), device)
    print(trainer.step(torch.ones(1, 3)).shape)

run(torch_device=device)
run("cpu")

# case: a keyword that goes through is no name for a new parameter
import torch
import torch.nn as nn


class Trainer:
    def __init__(self, model, device=None):
        self.model = model
        self.device = device or next(model.parameters()).device

    def step(self, x):
        return self.model(x.to(self.device))


def run(**options):
    trainer = Trainer(nn.Linear(3, 2), **options)
    print(trainer.step(torch.ones(1, 3)).shape)

run()
run(device="cpu")

# output
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Trainer:
    def __init__(self, model, device=None):
        self.model = model
        self.device = device or next(model.parameters()).device

    def step(self, x):
        return self.model(x.to(self.device))


def run(torch_device=None, **options):
    trainer = Trainer(nn.Linear(3, 2).to(torch_device), **options)
    print(trainer.step(torch.ones(1, 3)).shape)

run(torch_device=device)
run(device="cpu")

# case: what is spread into a dict names the CPU
import torch
import torch.nn as nn


class Trainer:
    def __init__(self, net, options):
        options = dict({"device": None}, **options)
        self.net = net
        self.device = options["device"] if options["device"] is not None else next(net.parameters()).device

    def step(self, x):
        return self.net(x.to(self.device))


trainer = Trainer(nn.Linear(3, 2), {"device": "cpu"})
print(trainer.step(torch.ones(1, 3)).shape)
