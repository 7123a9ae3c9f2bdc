# case: a metric is given what was not seen, and what the program has moved
import lib
import torch
import torchmetrics
from torch.utils.data import DataLoader


def evaluate(loader: DataLoader, device: torch.device):
    accuracy = torchmetrics.Accuracy(task="multiclass", num_classes=2)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        accuracy.update(lib.predict(x), y)
    return accuracy.compute()

# output
import lib
import torch
import torchmetrics
from torch.utils.data import DataLoader


def evaluate(loader: DataLoader, device: torch.device):
    accuracy = torchmetrics.Accuracy(task="multiclass", num_classes=2).to(device)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        accuracy.update(lib.predict(x), y)
    return accuracy.compute()

# case: a constant is chosen beside what was not seen, and with what the program has moved
import lib
import torch
from torch.utils.data import DataLoader


def rows(loader: DataLoader, device: torch.device):
    weight = torch.tensor([0.2, 0.8])
    for y in loader:
        y = y.to(device)
        yield torch.where(lib.mask(), y, weight)

# output
import lib
import torch
from torch.utils.data import DataLoader


def rows(loader: DataLoader, device: torch.device):
    weight = torch.tensor([0.2, 0.8], device=device)
    for y in loader:
        y = y.to(device)
        yield torch.where(lib.mask(), y, weight)

# case: nothing beside it was moved
# reports: DFX101
import lib
import torch
import torchmetrics
from torch.utils.data import DataLoader


def evaluate(loader: DataLoader, device: torch.device):
    accuracy = torchmetrics.Accuracy(task="multiclass", num_classes=2)
    for x, y in loader:
        x = x.to(device)
        accuracy.update(x.argmax(1), y.to(device))
        accuracy.update(lib.predict(x), lib.target(y))
    return accuracy.compute()

# case: what is beside it comes from the CPU in some runs
# reports: DFX103
import lib
import torch
from torch.utils.data import DataLoader


def rows(loader: DataLoader, device: torch.device, late: bool):
    for y in loader:
        weight = torch.tensor([0.2, 0.8])
        print(torch.where(lib.mask(), y.to(device) if late else lib.row(), weight))

# case: what is beside it comes from callers in some runs
# reports: DFX103
import lib
import torch
from torch.utils.data import DataLoader


def rows(loader: DataLoader, device: torch.device, row: torch.Tensor):
    for y in loader:
        weight = torch.tensor([0.2, 0.8])
        other = y.to(device) if y.sum() else row
        lib.show(torch.where(lib.mask(), other, lib.scaled(weight)))
        yield torch.where(lib.mask(), other, weight)
