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
