# case: predictions of a model that is moved
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
pred = model(x).detach().numpy()
print(pred.shape, (model(x) * 2).data.numpy().sum())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
pred = model(x).detach().cpu().numpy()
print(pred.shape, (model(x) * 2).data.cpu().numpy().sum())

# case: functions of NumPy
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.linspace(0, 1, 5, device=device)
y = torch.sin(x)
print(np.abs(x).max(), np.array(y).mean(), np.concatenate([x, y]).shape, np.asarray(y, dtype=float)[0])

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.linspace(0, 1, 5, device=device)
y = torch.sin(x)
print(np.abs(x.cpu()).max(), np.array(y.cpu()).mean(), np.concatenate([x.cpu(), y.cpu()]).shape, np.asarray(y.cpu(), dtype=float)[0])

# case: a plot
import matplotlib.pyplot as plt
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(1, 1).to(device)
x = torch.linspace(-1, 1, 50, device=device).unsqueeze(1)
with torch.no_grad():
    y = model(x)
plt.plot(x, y, "r-", label="fit")
plt.scatter(x.numpy(), y.data.numpy())
plt.title("loss = %.3f" % y.mean().item())
plt.show()

# output
import matplotlib.pyplot as plt
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(1, 1).to(device)
x = torch.linspace(-1, 1, 50, device=device).unsqueeze(1)
with torch.no_grad():
    y = model(x)
plt.plot(x.cpu(), y.cpu(), "r-", label="fit")
plt.scatter(x.cpu().numpy(), y.data.cpu().numpy())
plt.title("loss = %.3f" % y.mean().item())
plt.show()

# case: lists of what came out
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
outputs, labels = [], []
for x, y in DataLoader(TensorDataset(torch.randn(8, 3), torch.zeros(8)), batch_size=4):
    outputs.append(model(x.to(device)).argmax(1).numpy())
    labels.extend(y.numpy())
print((np.concatenate(outputs) == np.array(labels)).mean())

# output
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
outputs, labels = [], []
for x, y in DataLoader(TensorDataset(torch.randn(8, 3), torch.zeros(8)), batch_size=4):
    outputs.append(model(x.to(device)).argmax(1).cpu().numpy())
    labels.extend(y.numpy())
print((np.concatenate(outputs) == np.array(labels)).mean())

# case: a method of an agent
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x):
        return torch.softmax(self.linear(x), dim=-1)

    def act(self, state):
        probabilities = self(state)
        return (
            probabilities
            .detach()
            .numpy()  # for the environment
        )


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = Policy().to(device)
print(policy.act(torch.ones(1, 4, device=device)).sum())

# output
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x):
        return torch.softmax(self.linear(x), dim=-1)

    def act(self, state):
        probabilities = self(state)
        return (
            probabilities
            .detach()
            .cpu()
            .numpy()  # for the environment
        )


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = Policy().to(device)
print(policy.act(torch.ones(1, 4, device=device)).sum())

# case: losses in a list
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
losses = []
for i in range(3):
    loss = (model(x) - i).pow(2).mean()
    losses.append(loss.detach())
print(np.mean(losses), np.std([(model(x) - i).abs().mean().detach() for i in range(3)]))

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
losses = []
for i in range(3):
    loss = (model(x) - i).pow(2).mean()
    losses.append(loss.detach().cpu())
print(np.mean(losses), np.std([(model(x) - i).abs().mean().detach().cpu() for i in range(3)]))

# case: axes of a figure
import matplotlib.pyplot as plt
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(1, 1).to(device)
x = torch.linspace(-1, 1, 50, device=device).unsqueeze(1)
y = model(x).detach()
figure, axes = plt.subplots(1, 2)
axes[0].plot(x, y)
for ax in axes:
    ax.hist(y, bins=10)
figure.savefig("fit.png")

# output
import matplotlib.pyplot as plt
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(1, 1).to(device)
x = torch.linspace(-1, 1, 50, device=device).unsqueeze(1)
y = model(x).detach()
figure, axes = plt.subplots(1, 2)
axes[0].plot(x.cpu(), y.cpu())
for ax in axes:
    ax.hist(y.cpu(), bins=10)
figure.savefig("fit.png")

# case: rows of an array, and arithmetic with one
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)
x = torch.ones(4, 3, device=device)
table = np.zeros((3, 4))
for i in range(3):
    table[i] = model(x + i).detach()[:, 0]
weights = np.array([0.5, 2.0], dtype=np.float32)
scaled = model(x).detach() * weights
print(table.sum(), (scaled + model(x)).sum().item())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)
x = torch.ones(4, 3, device=device)
table = np.zeros((3, 4))
for i in range(3):
    table[i] = model(x + i).detach()[:, 0].cpu()
weights = np.array([0.5, 2.0], dtype=np.float32)
scaled = (model(x).detach().cpu() * weights).to(device)
print(table.sum(), (scaled + model(x)).sum().item())

# case: a queue of processes that are started by fork
import multiprocessing

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
queue = multiprocessing.Queue()
scores = torch.ones(3, device=device)
queue.put((scores, "first"))
queue.put(scores)

# output
import multiprocessing

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
queue = multiprocessing.Queue()
scores = torch.ones(3, device=device)
queue.put((scores.cpu(), "first"))
queue.put(scores.cpu())

# case: a queue of processes that are started afresh
import multiprocessing

import torch

multiprocessing.set_start_method("spawn")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
queue = multiprocessing.Queue()
queue.put(torch.ones(3, device=device))

# case: only the branch for tensors
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)


def to_numpy(value):
    return value.detach().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


print(to_numpy(model(torch.ones(4, 3, device=device))).sum(), to_numpy([1, 2]).sum())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)


def to_numpy(value):
    return value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


print(to_numpy(model(torch.ones(4, 3, device=device))).sum(), to_numpy([1, 2]).sum())

# case: one number goes anywhere
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)
x = torch.ones(4, 3, device=device)
curve = np.zeros(3)
names = np.array(["ant", "bee"])
for i in range(3):
    curve[i] = model(x + i).mean()
best = model(x).sum(0).argmax()
print(curve.sum(), names[best], np.sqrt(2.0) * model(x).sum().item(), np.float64(x.sum()))

# case: a NumPy scalar beside a tensor
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)
x = torch.ones(4, 3, device=device) / np.sqrt(3) + np.random.rand()
print(model(x).shape, x[np.array([0, 1])].shape, np.squeeze(x).shape)

# case: a number at first
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)
best = 0.0
for i in range(3):
    value = model(torch.ones(3, device=device) * i).sum().item()
    best = max(best, value)
print(np.round(best, 3))

# case: parameters that are looked into while they are trained
# reports: DFX401
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
weights = model.weight.data.numpy()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(2, 3, device=device)).sum().backward()
optimizer.step()
print(weights)

# case: brought back already
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
a = model(x).detach().cpu().numpy()
b = model(x).cpu().detach().numpy()
c = model(x).to("cpu").tolist()
print(np.abs(a - b).max(), c, np.array(x.cpu()), np.mean(model(x).tolist()))

# case: numbers, shapes and strings
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(2, 3, device=device)
print(float(x.sum()), int(x[0, 0]), x.max().item(), x.tolist(), np.prod(x.shape), f"{x.mean():.2f}", x)
losses = [x.sum().item() for _ in range(3)]
print(np.mean(losses), np.log(x.size(0)), np.sqrt(len(x)))

# case: a writable view of a gradient
# reports: DFX401
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
model(torch.ones(2, 3, device=device)).sum().backward()
for p in model.parameters():
    p.grad.numpy()[:] = np.clip(p.grad.cpu().numpy(), -1, 1)
print(sum(p.grad.sum().item() for p in model.parameters()))

# case: only NumPy
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3)
print(np.abs(x).max(), np.array(x).mean())
print(model(torch.from_numpy(x).to(device)).sum().item())

# case: tensors of the host
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
table = torch.rand(8, 3)
print(table.numpy().mean(), np.std(np.asarray(table)))
for x, y in DataLoader(TensorDataset(table, torch.zeros(8)), batch_size=4):
    print(model(x.to(device)).sum().item(), y.numpy().sum())

# case: a class with a method of that name
import torch


class Column:
    def __init__(self, values):
        self.values = values

    def numpy(self):
        return [float(value) for value in self.values]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Column(torch.ones(3, device=device)).numpy())

# case: a device that is the CPU
import numpy as np
import torch

device = torch.device("cpu")
model = torch.nn.Linear(3, 1).to(device)
print(np.abs(model(torch.ones(2, 3).to(device)).detach().numpy()).max())

# case: an array of objects holds tensors as they are
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def solve(values, weights, count):
    solved = np.empty(count, dtype=object)
    solved[0] = values[..., 0]
    for i in range(1, count):
        solved[i] = values[..., i] - weights[..., i] * solved[i - 1]
    return torch.stack(solved.tolist(), dim=-1)


model = torch.nn.Linear(3, 3).to(device)
print(solve(model(torch.ones(2, 3, device=device)), torch.ones(2, 3, device=device), 3).sum().item())

# case: an array of numbers does not
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 3).to(device)
sums = np.empty(2)
sums[:] = model(torch.ones(2, 3, device=device)).sum(1).detach()
print(sums.sum())
# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 3).to(device)
sums = np.empty(2)
sums[:] = model(torch.ones(2, 3, device=device)).sum(1).detach().cpu()
print(sums.sum())

# case: what einops makes is an array already
import numpy as np
import torch
from einops import asnumpy

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 3).to(device)
out = asnumpy(model(torch.ones(2, 3, device=device)))
print(np.clip(out * 255, 0, 255).sum())

# case: a file that knows the tensors of another framework, too
import torch


class OtherBackend:
    def __init__(self):
        import tinygrad

        self.tinygrad = tinygrad

    def is_fit(self, x):
        return isinstance(x, self.tinygrad.Tensor)

    def to_numpy(self, x):
        return x.numpy()


class TorchBackend:
    def to_numpy(self, x):
        return x.detach().numpy()


net = torch.nn.Linear(3, 2).cuda()
print(TorchBackend().to_numpy(net(torch.ones(2, 3).cuda())))

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class OtherBackend:
    def __init__(self):
        import tinygrad

        self.tinygrad = tinygrad

    def is_fit(self, x):
        return isinstance(x, self.tinygrad.Tensor)

    def to_numpy(self, x):
        return x.numpy()


class TorchBackend:
    def to_numpy(self, x):
        return x.detach().cpu().numpy()


net = torch.nn.Linear(3, 2).to(device)
print(TorchBackend().to_numpy(net(torch.ones(2, 3, device=device))))

# case: the tensors of another framework alone
import torch


class Backend:
    def __init__(self):
        import paddle

        self.paddle = paddle

    def to_numpy(self, x):
        return x.detach().numpy()


print(torch.ones(2), Backend)

# case: the item of a loss that is left to its own rule
# reports: DFX401 DFX603
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def step(net, criterion, totals):
    x, y = torch.ones(2, 3).to(device), torch.ones(2, 1).to(device)
    loss = criterion(net(x), y)
    loss.backward()
    totals[0] += loss.data[0]


totals = np.zeros(1)
step(nn.Linear(3, 1).to(device), nn.MSELoss(reduction=input()), totals)

# case: a library that counts operations gives numbers
import numpy as np
import thop
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def operations(layer, size):
    x = torch.randn(*size, device=device)
    counted, params = thop.profile(layer.to(device), (x,), verbose=False)
    return counted / 1e6


table = {"conv": operations(torch.nn.Conv2d(3, 3, 3), (1, 3, 8, 8))}
np.save("table.npy", table)
total = 0.0
for name in table:
    total += table[name]
print(np.round(total))

# case: what is only for machines without an accelerator
import torch
from torch import nn

cuda = torch.cuda.is_available()
device = torch.device("cuda" if cuda else "cpu")


def to_numpy(y):
    return y.cpu().numpy() if cuda else y.numpy()


net = nn.Linear(3, 2).to(device)
print(to_numpy(net(torch.ones(3, device=device)).detach()))

# case: what is only where a device is the CPU
import torch
from torch import nn


def to_array(x, device):
    x = x.to(device)
    if device == torch.device("cpu"):
        x = x.numpy()
    return x


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
print(to_array(net(torch.ones(2, 3, device=device)).detach(), device))

# case: what DataParallel brings to the device is not brought back at the call of the module

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, 2)

    def forward(self, x, lengths):
        return self.lstm(pack_padded_sequence(x, list(lengths), batch_first=True))[1][0]


net = nn.DataParallel(Net()).to(device)
print(net(torch.ones(2, 2, 2).to(device), torch.tensor([2, 1]).to(device)).shape)

# case: what scipy hands on to a function of the program is not read by scipy
import torch
from scipy.optimize import minimize

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def distance(x, boxes, scale):
    anchors = torch.tensor([[float(v)] for v in x]).to(device)
    return (boxes - anchors).abs().sum().item() * scale


boxes = torch.ones(2, 1).to(device)
print(round(minimize(distance, x0=[0.5, 0.5], args=(boxes, 2), method="Powell").fun, 3))

# case: a tensor in one branch and an array in the other
# An array has no `.cpu()`, and what one flag decides is read under the same flag.
import numpy as np
import torch


def entropy(count, use_torch=False):
    if use_torch:
        probs = torch.full((count, 8), 0.125).to("cuda")
    else:
        probs = np.full((count, 8), 0.125)
    part = probs[: count // 2, :]
    if use_torch:
        return float(torch.sum(part * torch.log(part)))
    return float(np.sum(part * np.log(part)))


print(entropy(4))

# case: an attribute that is None at first, and that callers combine with what they have
import torch
from torch import nn
from torch.distributions.categorical import Categorical


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 8)
        self.logits = nn.Linear(8, 2)
        self.value = nn.Linear(8, 1)
        self._value = None

    def forward(self, x):
        x = self.body(x)
        self._value = self.value(x).squeeze(1)
        return self.logits(x)

    def value_function(self):
        return self._value


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def step(self, obs):
        with torch.no_grad():
            logits = self.net(obs)
            a = Categorical(logits=logits).sample()
            v = self.net.value_function()
        return a.numpy(), v.numpy()

    def loss(self, obs, ret):
        self.net(obs)
        return ((self.net.value_function() - ret) ** 2).mean()

# output
import torch
from torch import nn
from torch.distributions.categorical import Categorical


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 8)
        self.logits = nn.Linear(8, 2)
        self.value = nn.Linear(8, 1)
        self._value = None

    def forward(self, x):
        x = self.body(x)
        self._value = self.value(x).squeeze(1)
        return self.logits(x)

    def value_function(self):
        return self._value


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def step(self, obs):
        with torch.no_grad():
            logits = self.net(obs)
            a = Categorical(logits=logits).sample()
            v = self.net.value_function()
        return a.cpu().numpy(), v.cpu().numpy()

    def loss(self, obs, ret):
        self.net(obs)
        return ((self.net.value_function() - ret) ** 2).mean()

# case: what a module gives that is made with modules of unseen callers, too
import torch
from torch import nn
from torch.distributions.categorical import Categorical


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 8)
        self.logits = nn.Linear(8, 2)
        self.value = nn.Linear(8, 1)

    def forward(self, x):
        x = self.body(x)
        self._value = self.value(x).squeeze(1)
        return self.logits(x)

    def value_function(self):
        return self._value


class Critic(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net: Net = net

    def forward(self, obs):
        return torch.squeeze(self.net.value_function(), -1)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()
        self.v = Critic(self.net)

    def step(self, obs):
        with torch.no_grad():
            logits = self.net(obs)
            a = Categorical(logits=logits).sample()
            v = self.v(obs)
        return a.numpy(), v.numpy()

    def loss(self, obs, ret):
        self.net(obs)
        return ((self.v(obs) - ret) ** 2).mean()

# output
import torch
from torch import nn
from torch.distributions.categorical import Categorical


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 8)
        self.logits = nn.Linear(8, 2)
        self.value = nn.Linear(8, 1)

    def forward(self, x):
        x = self.body(x)
        self._value = self.value(x).squeeze(1)
        return self.logits(x)

    def value_function(self):
        return self._value


class Critic(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net: Net = net

    def forward(self, obs):
        return torch.squeeze(self.net.value_function(), -1)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()
        self.v = Critic(self.net)

    def step(self, obs):
        with torch.no_grad():
            logits = self.net(obs)
            a = Categorical(logits=logits).sample()
            v = self.v(obs)
        return a.cpu().numpy(), v.cpu().numpy()

    def loss(self, obs, ret):
        self.net(obs)
        return ((self.v(obs) - ret) ** 2).mean()

# case: nothing but an array is made of what a caller hands in
import numpy as np


def crop(points, keep):
    shown = points.numpy()
    return shown[np.argsort(shown[:, 0])[:keep]]

# case: a question about the dtype tells tensors from arrays
# reports: DFX401
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def centers(boxes):
    """Of a tensor or of an array."""
    found = torch.zeros_like(boxes) if boxes.dtype is torch.float32 else np.zeros_like(boxes)
    found[:, 0] = (boxes[:, 0] + boxes[:, 2]) / 2
    return found


net = nn.Linear(4, 4).to(device)
print(centers(net(torch.ones(3, 4).to(device)).double()).sum())

# case: an option of the function tells where the tensor is
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if args.cuda and torch.cuda.is_available() else "cpu")


def show(image, cuda=False):
    if cuda:
        shown = image.clone().cpu().clamp(0, 1).numpy()
    else:
        shown = image.clone().clamp(0, 1).numpy()
    print(shown.sum())


net = nn.Linear(3, 1).to(device)
with torch.no_grad():
    show(net(torch.ones(2, 3).to(device)), args.cuda)

# case: a number that is read as torch 0.3 did
# reports: DFX401
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
rewards = []
for x in [torch.ones(2, 3)]:
    out = net(x.to(device))
    rewards.append(out[0].data[0])
print(np.mean(rewards))

# case: what was a number before torch 1.5
# min-torch: 1.0
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
norms = []
for _ in range(2):
    net(torch.ones(2, 3, device=device)).sum().backward()
    norms.append(nn.utils.clip_grad_norm_(net.parameters(), 1.0))
print(np.mean(norms))

# case: an item that is a number takes a tensor of one number from anywhere
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
costs, rows, total = np.zeros(2), np.zeros((2, 3)), np.zeros(3)
for epoch in range(2):
    out = net(torch.ones(2, 3, device=device))
    costs[epoch] += out.mean().detach()
    rows[epoch] += out.mean().detach()
    rows[epoch, 1] += out.sum().detach()
    total += out.mean().detach()
print(costs.sum(), rows.sum(), total.sum())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
costs, rows, total = np.zeros(2), np.zeros((2, 3)), np.zeros(3)
for epoch in range(2):
    out = net(torch.ones(2, 3, device=device))
    costs[epoch] += out.mean().detach()
    rows[epoch] += out.mean().detach().cpu()
    rows[epoch, 1] += out.sum().detach()
    total += out.mean().detach().cpu()
print(costs.sum(), rows.sum(), total.sum())
