# case: made and called, by keyword and by position
import torch
import torch.nn as nn
import torch.nn.functional as F

x, y = torch.ones(3, 2), torch.zeros(3).long()
print(nn.MSELoss(size_average=False)(x, x), nn.CrossEntropyLoss(None, False)(x, y))
print(F.nll_loss(x, y, size_average=True), F.cross_entropy(x, y, reduce=False).sum())
print(F.kl_div(x, x, size_average=False, reduce=False).sum(), nn.L1Loss(reduce=True)(x, x))
print(
    F.smooth_l1_loss(
        x,
        x,
        size_average=False,
    )
)

# output
import torch
import torch.nn as nn
import torch.nn.functional as F

x, y = torch.ones(3, 2), torch.zeros(3).long()
print(nn.MSELoss(reduction="sum")(x, x), nn.CrossEntropyLoss(None, reduction="sum")(x, y))
print(F.nll_loss(x, y, reduction="mean"), F.cross_entropy(x, y, reduction="none").sum())
print(F.kl_div(x, x, reduction="none").sum(), nn.L1Loss(reduction="mean")(x, x))
print(
    F.smooth_l1_loss(
        x,
        x,
        reduction="sum",
    )
)

# case: a flag that is surely true or false
import torch
import torch.nn.functional as F

AVERAGE = True
print(F.mse_loss(torch.ones(3), torch.zeros(3), size_average=AVERAGE, reduce=True))

# output
import torch
import torch.nn.functional as F

AVERAGE = True
print(F.mse_loss(torch.ones(3), torch.zeros(3), reduction="mean" if AVERAGE else "sum"))

# case: flags that may be anything
# reports: DFX608
import torch
import torch.nn.functional as F


def loss(x, y, size_average=None, reduce=None):
    return F.mse_loss(x, y, size_average=size_average) + F.l1_loss(x, y, reduce=reduce).sum()


print(loss)

# case: told twice
# reports: DFX608
import torch
import torch.nn.functional as F

print(F.mse_loss(torch.ones(3), torch.zeros(3), size_average=False, reduction="mean"))

# case: a loss of the program
import torch


def cross_entropy2d(x, size_average=True):
    return x.mean() if size_average else x.sum()


print(cross_entropy2d(torch.ones(3), size_average=False))

# case: told as today
import torch

print(torch.nn.MSELoss(reduction="sum")(torch.ones(3), torch.zeros(3)))

# case: a flag that callers set, who may pass None
# reports: DFX608
import torch
from torch import nn


class Loss:
    def __init__(self, size_average=True):
        self.size_average = size_average

    def __call__(self, x, y):
        return nn.MSELoss(size_average=self.size_average)(x, y)


print(Loss()(torch.ones(3), torch.zeros(3)))

# case: a torch that knows no reduction
# reports: DFX608
# min-torch: 0.4.0
import torch

print(torch.nn.MSELoss(size_average=False)(torch.ones(3), torch.zeros(3)))

# case: set on a loss that exists already
# reports: DFX608
import torch
from torch import nn

criterion = nn.BCELoss()
criterion.size_average = False


class Trainer:
    def __init__(self):
        self.loss = nn.KLDivLoss()

    def sum_up(self):
        self.loss.size_average, self.steps = False, 0
        self.loss.reduce = True


trainer = Trainer()
trainer.sum_up()
print(criterion(torch.full((3,), 0.5), torch.ones(3)))

# case: set on what is no loss of torch, or may be none
import torch
from torch import nn


class Summed(nn.MSELoss):
    def forward(self, x, y):
        loss = super().forward(x, y)
        return loss if self.size_average else loss * x.numel()


class Options:
    pass


def prepare(loss):
    loss.size_average = False
    return loss


criterion = Summed()
criterion.size_average = False
options = Options()
options.size_average = options.reduce = True
print(criterion(torch.ones(3), torch.zeros(3)), prepare(Summed()), options.size_average)

# case: read only
from torch import nn

criterion = nn.MSELoss()
print(getattr(criterion, "size_average", None), criterion.reduction)

# case: torch 0.4.1 calls the mean by another name
# reports: DFX608
# min-torch: 0.4.1
import torch
import torch.nn.functional as F

x = torch.ones(3)
print(F.smooth_l1_loss(x, torch.zeros(3), size_average=True))
