# case: initialisers, gates, clipping
# min-torch: 2.0
import torch
import torch.nn as nn
import torch.nn.functional as F

layer = nn.Linear(3, 1)
nn.init.xavier_uniform(layer.weight, gain=nn.init.calculate_gain("relu"))
torch.nn.init.constant(layer.bias, 0.0)
gates = {"tanh": F.tanh, "sigmoid": torch.nn.functional.sigmoid}
loss = F.sigmoid(gates["tanh"](torch.ones(3))).sum() + layer.weight.sum()
loss.backward(retain_variables=True)
torch.nn.utils.clip_grad_norm(layer.parameters(), 5.0)
print(F.upsample(torch.ones(1, 1, 2, 2), scale_factor=2).shape, F.relu(loss))

# output
import torch
import torch.nn as nn
import torch.nn.functional as F

layer = nn.Linear(3, 1)
nn.init.xavier_uniform_(layer.weight, gain=nn.init.calculate_gain("relu"))
torch.nn.init.constant_(layer.bias, 0.0)
gates = {"tanh": torch.tanh, "sigmoid": torch.sigmoid}
loss = torch.sigmoid(gates["tanh"](torch.ones(3))).sum() + layer.weight.sum()
loss.backward(retain_graph=True)
torch.nn.utils.clip_grad_norm_(layer.parameters(), 5.0)
print(F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=2).shape, F.relu(loss))

# case: imported by name
import torch
from torch.nn.init import kaiming_normal, normal as gauss
from torch.nn.utils import clip_grad_norm

layer = torch.nn.Linear(3, 1)
kaiming_normal(layer.weight)
gauss(layer.bias, std=1e-3)
clip = clip_grad_norm
print(clip(layer.parameters(), 1.0))

# output
import torch
from torch.nn.init import kaiming_normal_, normal_ as gauss
from torch.nn.utils import clip_grad_norm_

layer = torch.nn.Linear(3, 1)
kaiming_normal_(layer.weight)
gauss(layer.bias, std=1e-3)
clip = clip_grad_norm_
print(clip(layer.parameters(), 1.0))

# case: a file without torch itself
# min-torch: 2.3
from torch import nn
from torch.nn import functional as F


class Gate(nn.Module):
    def forward(self, x):
        return F.sigmoid(x)

# output
import torch
from torch import nn
from torch.nn import functional as F


class Gate(nn.Module):
    def forward(self, x):
        return torch.sigmoid(x)

# case: old names that nothing is said against any more
# min-torch: 2.4
import torch
import torch.nn.functional as F
from torch.nn.functional import tanh

gates = {"tanh": F.tanh, "sigmoid": torch.nn.functional.sigmoid}
print(F.sigmoid(gates["tanh"](torch.ones(3))), tanh(torch.zeros(2)))

# case: names of today
import torch
import torch.nn.functional as F

layer = torch.nn.Linear(3, 1)
torch.nn.init.xavier_uniform_(layer.weight)
x = F.logsigmoid(torch.tanh(torch.ones(3)))
x.sum().backward if x.requires_grad else None
print(F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=2).shape, torch.nn.Sigmoid()(x))

# case: names of the program
import torch


class init:
    @staticmethod
    def constant(value):
        return value


def sigmoid(x):
    return x


print(init.constant(1), sigmoid(torch.ones(2)))

# case: gone, and not the same any more
# reports: DFX607
import torch

values, vectors = torch.symeig(torch.eye(3), eigenvectors=True)
print(values, vectors)

# case: an import that is tried
# reports: DFX607
import torch

try:
    from torch.nn.utils import clip_grad_norm
except ImportError:
    from torch.nn.utils import clip_grad_norm_ as clip_grad_norm
print(clip_grad_norm([torch.ones(2, requires_grad=True)], 1.0))

# case: a torch that has no other name
# reports: DFX607
# min-torch: 0.4.0
import torch
import torch.nn.functional as F

print(F.upsample(torch.ones(1, 1, 2, 2), scale_factor=2))

# case: a name that is a text
import torch
from torch import nn

print(getattr(nn.init, "uniform")(nn.init.uniform(torch.ones(2))))

# output
import torch
from torch import nn

print(getattr(nn.init, "uniform")(nn.init.uniform_(torch.ones(2))))

# case: names of torch._six
import torch
from torch._six import inf, string_classes
from torch._six import container_abcs, queue as q


def collate(batch, limit=inf):
    if isinstance(batch, string_classes):
        return batch
    if isinstance(batch, container_abcs.Mapping):
        return {key: collate(batch[key]) for key in batch}
    return torch.tensor(batch).clamp(max=limit)


print(collate([1.0, 2.0]), q.Queue().empty())

# output
import torch
from math import inf
import collections.abc as container_abcs
import queue as q


def collate(batch, limit=inf):
    if isinstance(batch, (str, bytes)):
        return batch
    if isinstance(batch, container_abcs.Mapping):
        return {key: collate(batch[key]) for key in batch}
    return torch.tensor(batch).clamp(max=limit)


print(collate([1.0, 2.0]), q.Queue().empty())

# case: classes of torch._six alone
import torch
from torch._six import int_classes, string_classes

print(isinstance("a", string_classes), isinstance(torch.ones(1).numel(), int_classes))

# output
import torch

print(isinstance("a", (str, bytes)), isinstance(torch.ones(1).numel(), int))

# case: torch._six, if there is one
import torch

try:
    from torch._six import inf
except ImportError:
    from math import inf
print(torch.tensor(inf))

# case: a name of torch._six that nothing replaces
# reports: DFX607
import torch
from torch._six import inf, with_metaclass

print(torch.tensor(inf), with_metaclass)
