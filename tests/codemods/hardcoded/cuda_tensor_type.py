# case: tensors that are made, and casts
import numpy as np
import torch

model = torch.nn.Linear(3, 1).cuda()
x = torch.cuda.FloatTensor(2, 3).fill_(1.0)
y = torch.cuda.FloatTensor(np.ones((2, 1)))
labels = torch.cuda.LongTensor([0, 1])
extra = torch.from_numpy(np.ones((2, 3))).type(torch.cuda.FloatTensor)
more = torch.ones(2, 3).type("torch.cuda.FloatTensor", non_blocking=True)
print((model(x + extra + more) - y).sum().item(), labels.sum().item())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
y = torch.FloatTensor(np.ones((2, 1))).to(device)
labels = torch.LongTensor([0, 1]).to(device)
extra = torch.from_numpy(np.ones((2, 3))).to(device, torch.float32)
more = torch.ones(2, 3).to(device, non_blocking=True)
print((model(x + extra + more) - y).sum().item(), labels.sum().item())

# case: a name for a type
import numpy as np
import torch as th
from torch.autograd import Variable

cuda = True if th.cuda.is_available() else False

net = th.nn.Linear(3, 1)
if cuda:
    net.cuda()

Tensor = th.cuda.FloatTensor if cuda else th.FloatTensor

for batch in th.utils.data.DataLoader(th.ones(8, 3), batch_size=4):
    valid = Variable(Tensor(batch.size(0), 1).fill_(1.0), requires_grad=False)
    noise = Variable(Tensor(np.zeros((batch.shape[0], 3))))
    batch = Variable(batch.type(Tensor))
    print((net(batch + noise) - valid).sum().item())

# output
import numpy as np
import torch as th

device = th.device("cuda" if th.cuda.is_available() else "cpu")

cuda = True if th.cuda.is_available() else False

net = th.nn.Linear(3, 1)
net.to(device)

for batch in th.utils.data.DataLoader(th.ones(8, 3), batch_size=4):
    valid = th.ones(batch.size(0), 1, device=device)
    noise = th.FloatTensor(np.zeros((batch.shape[0], 3))).to(device)
    batch = batch.to(device)
    print((net(batch + noise) - valid).sum().item())

# case: names for names, and a choice by statement
import torch

use_cuda = torch.cuda.is_available()
FloatTensor = torch.cuda.FloatTensor if use_cuda else torch.FloatTensor
Tensor = FloatTensor

if use_cuda:
    long = torch.cuda.LongTensor
else:
    long = torch.LongTensor


def pick(state):
    return state.gather(1, long([[0], [1]]))


print(pick(Tensor([[1, 2], [3, 4]]) + FloatTensor([[1], [2]])))

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def pick(state):
    return state.gather(1, torch.LongTensor([[0], [1]]).to(state.device))


print(pick(torch.FloatTensor([[1, 2], [3, 4]]).to(device) + torch.FloatTensor([[1], [2]]).to(device)))

# case: a library follows what it is given
import torch


def mask(lengths, width, height):
    ids = torch.arange(0, width * height, out=torch.cuda.LongTensor(width, height).view(-1))
    return ids < lengths.unsqueeze(1)

# output
import torch


def mask(lengths, width, height):
    ids = torch.arange(0, width * height, out=torch.empty(width, height, dtype=torch.int64, device=lengths.device).view(-1))
    return ids < lengths.unsqueeze(1)

# case: the types of the host
import torch

Tensor = torch.FloatTensor
x = Tensor(2, 3).fill_(1.0)
print(x.type(torch.DoubleTensor).sum().item(), torch.LongTensor([1]).type("torch.FloatTensor"))

# case: questions
import torch

x = torch.ones(3)
print(isinstance(x, torch.cuda.FloatTensor), x.type() == "torch.cuda.FloatTensor")
print(torch.cuda.HalfTensor in {torch.FloatTensor: 1})

# case: something has asked
import torch

if torch.cuda.is_available():
    print(torch.cuda.FloatTensor(1).fill_(1.0).item())

# case: it may be given a tensor
# reports: DFX202
import torch


def wrap(data):
    return torch.cuda.FloatTensor(data)

# case: it may be a module
# reports: DFX202
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def cast(thing):
    return thing.type(torch.cuda.LongTensor)


print(torch.ones(1, device=device).item(), cast)

# case: the type is handed on
# reports: DFX202
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
dtype = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor


def noise(size, kind):
    return torch.randn(size).type(kind)


print(noise(3, dtype).sum().item())

# case: the type is kept in an object
# reports: DFX202
import torch


class Trainer:
    def __init__(self):
        self.FloatTensor = torch.cuda.FloatTensor


print(Trainer().FloatTensor)

# case: an option of the user
# reports: DFX202
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
args.cuda = args.cuda and torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if args.cuda else torch.FloatTensor
print(Tensor(3).fill_(1.0).sum().item())

# case: bound again
# reports: DFX202
import torch

Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
print(Tensor(3).fill_(1.0).sum().item())
Tensor = torch.DoubleTensor
print(Tensor(3).fill_(1.0).sum().item())

# case: keywords
# reports: DFX202
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.cuda.FloatTensor(3, device=device).shape)

# case: another library
import numpy as np
import torch


class cuda:
    FloatTensor = np.zeros


print(cuda.FloatTensor(3), torch.ones(1).item())

# case: suppressed
import torch

print(torch.cuda.FloatTensor(3).fill_(1.0).sum().item())  # devicefix: ignore[DFX202]

# case: the program compiles CUDA kernels of its own
# reports: DFX212
import torch
from torch.utils.cpp_extension import load

scan = load(name="scan", sources=["scan.cu"])
scan.forward(torch.cuda.FloatTensor(3))

# case: several names by one statement, and a module
import torch
from torch.autograd import Variable

if torch.cuda.is_available():
    dtype = torch.cuda.FloatTensor
    long = torch.cuda.LongTensor
else:
    dtype = torch.FloatTensor
    long = torch.LongTensor

net = torch.nn.Linear(3, 2).type(dtype)
x = Variable(torch.randn(4, 3).type(dtype))
y = Variable(torch.zeros(4).type(long))
loss = torch.nn.CrossEntropyLoss().type(dtype)
print(loss(net(x), y).item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 2).to(device)
x = torch.randn(4, 3).to(device)
y = torch.zeros(4).to(device, torch.int64)
loss = torch.nn.CrossEntropyLoss().to(device)
print(loss(net(x), y).item())

# case: an option of the user that the device obeys
import argparse

import numpy as np
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true", default=False)
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if args.cuda else torch.Tensor
net = torch.nn.Linear(3, 1)
if args.cuda:
    net.cuda()
print(net(Tensor(np.ones((2, 3)))).sum().item())

# output
import argparse

import numpy as np
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true", default=False)
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()
device = torch.device("cuda" if args.cuda else "cpu")
net = torch.nn.Linear(3, 1)
net.to(device)
print(net(torch.FloatTensor(np.ones((2, 3))).to(device)).sum().item())

# case: the program asks for a type
# unsafe
import torch

Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
x = Tensor(3).fill_(1.0)
assert isinstance(x, Tensor)
print(isinstance(x, Tensor) or x)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

x = torch.ones(3, device=device)
assert isinstance(x, torch.Tensor) and x.dtype == torch.float32
print((isinstance(x, torch.Tensor) and x.dtype == torch.float32) or x)

# case: it asks where a tensor is, too
# reports: DFX202
import torch

Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
x = Tensor(3).fill_(1.0)
print(isinstance(x, Tensor))

# case: several types at once
# reports: DFX202
import torch

Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
print(isinstance(Tensor(3), (Tensor, int)))

# case: a double module becomes one of float
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).double()
net = net.type(torch.cuda.FloatTensor)
print(net(torch.ones(2, 3, device=device)).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).double()
net = net.to(device, torch.float32)
print(net(torch.ones(2, 3, device=device)).sum().item())

# case: an object keeps the type, and makes its tensors with it
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Model:
    def __init__(self, gpu_ids):
        self.Tensor = torch.cuda.FloatTensor if gpu_ids else torch.FloatTensor
        self.net = nn.Linear(3, 1).to(device)

    def step(self):
        return self.net(self.Tensor(4, 3).fill_(1.0))


print(Model([0] if torch.cuda.is_available() else []).step().sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Model:
    def __init__(self, gpu_ids):
        self.Tensor = torch.cuda.FloatTensor if gpu_ids and torch.cuda.is_available() else torch.FloatTensor
        self.net = nn.Linear(3, 1).to(device)

    def step(self):
        return self.net(self.Tensor(4, 3).fill_(1.0))


print(Model([0] if torch.cuda.is_available() else []).step().sum().item())

# case: a choice of types that asks already, and one with something else beside it
# reports: DFX202
import torch


class Model:
    def __init__(self, gpu_ids, kind):
        ready = torch.cuda.is_available()
        self.Tensor = torch.cuda.FloatTensor if gpu_ids and ready else torch.FloatTensor
        self.other = torch.cuda.FloatTensor if gpu_ids else kind

    def make(self):
        return self.Tensor(4).fill_(1.0)


print(Model([], None).make().sum().item())

# case: a choice of types with two reasons
import torch


class Model:
    def __init__(self, first, second):
        self.Tensor = torch.cuda.HalfTensor if first or second else torch.HalfTensor

    def make(self):
        return self.Tensor(4)


print(Model(False, False).make().shape)

# output
import torch


class Model:
    def __init__(self, first, second):
        self.Tensor = torch.cuda.HalfTensor if ((first or second) and torch.cuda.is_available()) else torch.HalfTensor

    def make(self):
        return self.Tensor(4)


print(Model(False, False).make().shape)

# case: imported by other names
import torch
import torch.cuda as tc
from torch.cuda import LongTensor as Long

print(tc.FloatTensor(3).fill_(1.0).sum().item(), Long([1]).sum().item())

# output
import torch
import torch.cuda as tc
from torch.cuda import LongTensor as Long

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

print(torch.ones(3, device=device).sum().item(), torch.LongTensor([1]).to(device).sum().item())

# case: how many is no device, whatever decides it
import torch

use_cuda = torch.cuda.is_available()
dtype = torch.cuda.DoubleTensor if use_cuda else torch.DoubleTensor
copies = 10000 if use_cuda else 10
points = torch.rand(3, 1).type(dtype)
print(torch.cat([points] * copies, dim=0).shape)
# output
import torch

use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
copies = 10000 if use_cuda else 10
points = torch.rand(3, 1).to(device, torch.float64)
print(torch.cat([points] * copies, dim=0).shape)

# case: counted and sized, in each of its types
import os

import torch

n = int(os.environ.get("N", "3"))
rows = torch.LongTensor(range(len(os.environ))).cuda()
some = torch.LongTensor(range(n)).cuda()
counts = torch.cuda.LongTensor(3, 2).zero_()
halves = torch.cuda.HalfTensor(3, 2).fill_(2)
print(rows.shape, some.shape, counts.sum().item(), halves.sum().item())

# output
import os

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

n = int(os.environ.get("N", "3"))
rows = torch.arange(len(os.environ), device=device)
some = torch.LongTensor(range(n)).to(device)
counts = torch.zeros(3, 2, dtype=torch.int64, device=device)
halves = torch.empty(3, 2, dtype=torch.float16, device=device).fill_(2)
print(rows.shape, some.shape, counts.sum().item(), halves.sum().item())

# case: a count on the device already
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rows = torch.arange(3, device=device)
print(rows + torch.zeros(3, dtype=torch.int64, device=device))

# case: what an autograd function has saved, and the gradients that it gets, are where it works
import torch
from torch.autograd import Function


class Sign(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        mask = torch.cuda.FloatTensor(x.size()).zero_()
        mask[x.abs() < 1] = 1
        return grad * mask


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return torch.cuda.FloatTensor(1).fill_(ctx.factor).expand(len(grad)), None


class Shift(Function):
    @staticmethod
    def forward(ctx, x, bias=None):
        ctx.bias = bias
        ctx.set_materialize_grads(False)
        return x if bias is None else x + bias

    @staticmethod
    def backward(ctx, grad):
        bias = ctx.bias
        return grad, torch.cuda.FloatTensor(3).zero_()

# output
import torch
from torch.autograd import Function


class Sign(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        mask = torch.zeros(x.size(), device=x.device)
        mask[x.abs() < 1] = 1
        return grad * mask


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return torch.empty(1, device=grad.device).fill_(ctx.factor).expand(len(grad)), None


class Shift(Function):
    @staticmethod
    def forward(ctx, x, bias=None):
        ctx.bias = bias
        ctx.set_materialize_grads(False)
        return x if bias is None else x + bias

    @staticmethod
    def backward(ctx, grad):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        bias = ctx.bias
        return grad, torch.zeros(3, device=device)

# case: in a list there may be anything
import torch


def losses(x, weights):
    out = torch.relu(x)
    return out * torch.cuda.FloatTensor([weights["loss"]])

# output
import torch


def losses(x, weights):
    out = torch.relu(x)
    return out * torch.FloatTensor([weights["loss"]]).to(out.device)

# case: beside what may be given a tensor nothing is gained
# reports: DFX202
import torch


def losses(x, weights):
    out = torch.relu(x)
    weight = torch.cuda.FloatTensor(weights["loss"])
    return {"loss": out.mean(), "weight": weight, "kind": torch.cuda.LongTensor([1])}

# case: a new device that float64 is on is CUDA, whatever the style
# reports: DFX213
# min-torch: 2.9
# style: accelerator
import torch

points = torch.cuda.DoubleTensor(3, 1).fill_(2)
print(points.sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

points = torch.empty(3, 1, dtype=torch.float64, device=device).fill_(2)
print(points.sum().item())

# case: given a tensor of its own, the type does nothing
import torch


class Distance(torch.nn.Module):
    def forward(self, x, y):
        found = torch.cuda.FloatTensor(torch.zeros(1, 1).cuda())
        found += (torch.relu(x) - torch.relu(y)).abs().mean()
        return found

# output
import torch


class Distance(torch.nn.Module):
    def forward(self, x, y):
        found = torch.zeros(1, 1, device=x.device)
        found += (torch.relu(x) - torch.relu(y)).abs().mean()
        return found

# case: something else holds the tensor that the type is given, and it may learn
# reports: DFX202
import torch


def wrap(x):
    found = torch.relu(x)
    return torch.cuda.FloatTensor(found), found

# case: the tensor that the type is given may have a gradient
# reports: DFX202
import torch


def wrap(x):
    return torch.cuda.FloatTensor(torch.relu(x))

# case: a name for a type that several casts read is where the program says its dtype
import torch
from torch import nn

dtype = torch.cuda.FloatTensor
net = nn.Linear(3, 2).type(dtype)
x = torch.ones(2, 3, dtype=torch.float64).type(dtype)
print(net(x).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

dtype = torch.float32
net = nn.Linear(3, 2).to(device, dtype)
x = torch.ones(2, 3, dtype=torch.float64).to(device, dtype)
print(net(x).shape)

# case: a choice of two types that several casts read
import torch


def total(n):
    if torch.cuda.is_available():
        kind = torch.cuda.DoubleTensor
    else:
        kind = torch.DoubleTensor
    return (torch.ones(n).type(kind) * torch.zeros(n).type(kind)).sum().item()


print(total(3))

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def total(n):
    kind = torch.float64
    return (torch.ones(n).to(device, kind) * torch.zeros(n).to(device, kind)).sum().item()


print(total(3))

# case: a type's own name would not do for a dtype
import torch

FloatTensor = torch.cuda.FloatTensor
x = torch.ones(2, 3, dtype=torch.float64).type(FloatTensor)
print((x + torch.zeros(3, dtype=torch.float64).type(FloatTensor)).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

x = torch.ones(2, 3, dtype=torch.float64).to(device, torch.float32)
print((x + torch.zeros(3, dtype=torch.float64).to(device, torch.float32)).shape)

# case: a name for a type that is compared as well
# reports: DFX202
import torch

dtype = torch.cuda.FloatTensor
x = torch.ones(2, 3, dtype=torch.float64).type(dtype)
y = torch.zeros(3, dtype=torch.float64).type(dtype)
print((x + y).shape, dtype == torch.FloatTensor)

# case: a name for a type of the CPU
import torch

dtype = torch.FloatTensor
x = torch.ones(2, 3, dtype=torch.float64).type(dtype)
print((x + torch.zeros(3, dtype=torch.float64).type(dtype)).shape)

# case: a name for a dtype
import torch

dtype = torch.float32
x = torch.ones(2, 3, dtype=torch.float64).type(dtype)
print((x + torch.zeros(3, dtype=torch.float64).to(dtype)).shape)

# case: the default of a parameter
import torch

FLOAT = torch.cuda.FloatTensor


def cast(x, dtype=FLOAT):
    return x.type(dtype)


print(cast(torch.ones(2, 3, dtype=torch.float64)).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

FLOAT = torch.float32


def cast(x, dtype=FLOAT):
    return x.to(device, dtype)


print(cast(torch.ones(2, 3, dtype=torch.float64)).shape)

# case: the default of a parameter, and of a keyword of a method, that a name is not needed for
import torch

FloatTensor = torch.cuda.FloatTensor


class Caster:
    def cast(self, x, *, dtype=FloatTensor):
        return x.type(dtype)

    def cast_long(self, x, dtype=torch.cuda.LongTensor):
        return x.type(dtype)


print(Caster().cast(torch.ones(2, 3, dtype=torch.float64)).shape)
print(Caster().cast_long(torch.ones(2, 3)).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Caster:
    def cast(self, x, *, dtype=torch.float32):
        return x.to(device, dtype)

    def cast_long(self, x, dtype=torch.int64):
        return x.to(device, dtype)


print(Caster().cast(torch.ones(2, 3, dtype=torch.float64)).shape)
print(Caster().cast_long(torch.ones(2, 3)).shape)

# case: a parameter that a call gives
# reports: DFX202
import torch

FLOAT = torch.cuda.FloatTensor


def cast(x, dtype=FLOAT):
    return x.type(dtype)


x = torch.ones(2, 3, dtype=torch.float64)
print(cast(x).shape, cast(x, FLOAT).shape)

# case: a parameter that a method is given by its place
# reports: DFX202
import torch


class Caster:
    def cast(self, x, dtype=torch.cuda.FloatTensor):
        return x.type(dtype)


x = torch.ones(2, 3, dtype=torch.float64)
print(Caster().cast(x).shape, Caster().cast(x, torch.cuda.HalfTensor).shape)

# case: a parameter of a function that is handed on
# reports: DFX202
import torch

FLOAT = torch.cuda.FloatTensor


def cast(x, dtype=FLOAT):
    return x.type(dtype)


print(list(map(cast, [torch.ones(2, 3, dtype=torch.float64)])))

# case: a parameter that makes tensors as well
# reports: DFX202
import torch


def grow(x, kind=torch.cuda.FloatTensor):
    return x.type(kind) + kind(3).zero_()


print(grow(torch.ones(2, 3, dtype=torch.float64)).shape)

# case: a parameter that nothing reads
# reports: DFX202
import torch

FLOAT = torch.cuda.FloatTensor


def total(x, dtype=FLOAT):
    return x.sum()


print(total(torch.ones(2, 3)), FLOAT(3).zero_().sum())
