# case: losses, sums and means
import torch
import torch.nn as nn
import torch.nn.functional as F

criterion = nn.MSELoss()
x, y = torch.ones(3, 1), torch.zeros(3, 1)
loss = criterion(x, y)
total = 0.0
total += loss.data[0]
print("%.3f %.3f" % (total / 3, F.mse_loss(x, y).data[0]), (x - y).abs().mean()[0])
print(loss.data.cpu()[0], loss.cpu().data.numpy()[0], (x * y).sum().data.cpu().numpy()[0])

# output
import torch
import torch.nn as nn
import torch.nn.functional as F

criterion = nn.MSELoss()
x, y = torch.ones(3, 1), torch.zeros(3, 1)
loss = criterion(x, y)
total = 0.0
total += loss.item()
print("%.3f %.3f" % (total / 3, F.mse_loss(x, y).item()), (x - y).abs().mean().item())
print(loss.item(), loss.item(), (x * y).sum().item())

# case: added up from nothing
import torch

layer = torch.nn.Linear(3, 1)
loss = 0
for _ in range(2):
    loss += (layer(torch.ones(2, 3)) ** 2).mean()
loss.backward()
print(loss.data[0] / 2)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

layer = torch.nn.Linear(3, 1).to(device)
loss = 0
for _ in range(2):
    loss += (layer(torch.ones(2, 3, device=device)) ** 2).mean()
loss.backward()
print(loss.item() / 2)

# case: a sum of losses
import torch
import torch.nn.functional as F


def evaluate(batches):
    total = 0
    for x, y in batches:
        total += len(x) * F.mse_loss(x, y).data
    return total[0] / 4


print(evaluate([(torch.ones(3), torch.zeros(3))]))

# output
import torch
import torch.nn.functional as F


def evaluate(batches):
    total = 0
    for x, y in batches:
        total += len(x) * F.mse_loss(x, y).data
    return total.item() / 4


print(evaluate([(torch.ones(3), torch.zeros(3))]))

# case: a list, or a sum
import torch

total = [1.0]
total = total or 0
for x in (torch.ones(3),):
    total += x.sum()
print(total[0])

# case: rows stay
import torch

weight = torch.nn.Embedding(3, 2).weight
weight.data[0].fill_(0)
scores = torch.ones(3, 2)
best, index = scores.data.max(1)
print(best.data[0], index.data[0], scores.data.cpu().numpy()[0], scores[0])

# case: what is surely not there is not read
import torch

loss = torch.ones(2).sum()
print(loss.item(), loss.data, float(loss))

# case: what it is, is not known, and it learns
# reports: DFX603
import torch


def step(compute, x):
    loss = compute(x)
    loss.backward()
    return loss.data[0]


print(step)

# case: a vector of one number that learns
# reports: DFX603
import torch

loss = torch.ones(1, requires_grad=True) * 2
loss.backward()
print(loss.data[0])

# case: another object
import torch


class Result:
    data = [1, 2]


print(Result().data[0], torch.ones(1))

# case: a sum along the only dimension
import torch


def accuracy(right, topk=(1,)):
    found = []
    for k in topk:
        sums = right[:k].view(-1).float().sum(0)
        found.append(sums.mul_(100.0 / 3))
    return found


best, second = accuracy(torch.ones(2, 3), (1, 2))
print("%.1f %.1f" % (best[0], second.data[0]))

# output
import torch


def accuracy(right, topk=(1,)):
    found = []
    for k in topk:
        sums = right[:k].view(-1).float().sum(0)
        found.append(sums.mul_(100.0 / 3))
    return found


best, second = accuracy(torch.ones(2, 3), (1, 2))
print("%.1f %.1f" % (best.item(), second.item()))

# case: a sum along one dimension that keeps it, or of what may have two
import torch

x = torch.ones(2, 3)
print(x.view(-1).sum(0, keepdim=True)[0], x.view(-1, 2).sum(0).data[0], x.view(3, -1).sum(0)[0])

# case: an item of what may have one dimension, or two
import json

import torch


def first(path):
    boxes = torch.tensor(json.load(open(path))) if path else torch.arange(4)
    box = boxes[0]
    return box[0]


print(torch.tensor([[1, 2], [3, 4]])[0][0], torch.autograd.Variable)

# case: below a condition: what stands behind it ran
# reports: DFX614
import torch
from torch import autograd

flag = isinstance(autograd.Variable, type)
x = torch.ones(3)
loss = x.data.mean()
for step in range(2):
    if step % 10 == 5:
        print(loss.data[0])
    print("counted", (x.data == 1).sum(), flag)

# output
import torch
from torch import autograd

flag = isinstance(autograd.Variable, type)
x = torch.ones(3)
loss = x.data.mean()
for step in range(2):
    if step % 10 == 5:
        print(loss.item())
    print("counted", (x.data == 1).sum(), flag)

# case: of one element, and of several dimensions
import torch


def decode(model, scores):
    tokens = []
    for _ in range(3):
        token = torch.argmax(scores, keepdim=True)[0]
        tokens.append(token)
        scores = model(token)
    return torch.cat(tokens), scores.mean(None, keepdim=True)[0]

# case: the program asks for the version
import torch

version = torch.__version__
loss = torch.nn.functional.mse_loss(torch.ones(3), torch.zeros(3))
if int(version[0]) > 0 or int(version[2]) > 3:
    print(loss.item())
else:
    print(loss.data[0])

# case: in a function, by a name for what the version says
import torch

NEW = torch.__version__ >= "0.4"


def said(loss):
    new = NEW
    return loss.sum().item() if new else loss.sum().data[0]

# case: the version of something else has a name that is bound again
import sys

import torch

version = torch.__version__
version = sys.version
loss = torch.nn.functional.mse_loss(torch.ones(3), torch.zeros(3))
if version > "3":
    print(loss.data[0])

# output
import sys

import torch

version = torch.__version__
version = sys.version
loss = torch.nn.functional.mse_loss(torch.ones(3), torch.zeros(3))
if version > "3":
    print(loss.item())

# case: the message of an assertion
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
loss = net(torch.ones(3, 2, device=device)).sum()
assert not (np.isnan(loss.data[0]) or loss.data[0] > 1e5), "it explodes: {}".format(loss.data[0])

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
loss = net(torch.ones(3, 2, device=device)).sum()
assert not (np.isnan(loss.item()) or loss.item() > 1e5), "it explodes: {}".format(loss.item())

# case: of a module whose class says itself what a call does
import torch
from torch import nn


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.MSELoss()

    def __call__(self, x, y):
        return self.loss(x, y)


class Half(nn.Module):
    def __call__(self, x):
        return super().__call__(x / 2)

    def forward(self, x):
        return x.sum()


print(Loss()(torch.ones(2), torch.zeros(2)).data[0], Half()(torch.ones(2)).data[0])

# output
import torch
from torch import nn


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.MSELoss()

    def __call__(self, x, y):
        return self.loss(x, y)


class Half(nn.Module):
    def __call__(self, x):
        return super().__call__(x / 2)

    def forward(self, x):
        return x.sum()


print(Loss()(torch.ones(2), torch.zeros(2)).item(), Half()(torch.ones(2)).item())

# case: of a module whose `forward` is not what a call does
import torch
from torch import nn


class Loss(nn.Module):
    def __call__(self, x):
        return x * 2

    def forward(self, x):
        return x.sum()


print(Loss()(torch.ones(2)).data[0])

# case: a program that finds out by itself
# reports: DFX603
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
total = 0
for x in [torch.ones(2, 3, device=device)]:
    loss = net(x).sum()
    loss.backward()
    try:
        loss.data[0]
    except IndexError:
        loss.data = loss.data.reshape(1)
    total += loss.data[0]
print(total)
