# case: a batch in a loop
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 2).to(device)
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,))), batch_size=8)
for inputs, labels in loader:
    inputs.to(device)
    labels.to(device, non_blocking=True)  # both
    print(torch.nn.functional.cross_entropy(model(inputs), labels).item())

# output
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 2).to(device)
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,))), batch_size=8)
for inputs, labels in loader:
    inputs = inputs.to(device)
    labels = labels.to(device, non_blocking=True)  # both
    print(torch.nn.functional.cross_entropy(model(inputs), labels).item())

# case: `.cuda()` below a guard
import torch

model = torch.nn.Linear(3, 1)
x = torch.ones(2, 3)
if torch.cuda.is_available():
    model.cuda()
    x.cuda()
print(model(x).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 1)
x = torch.ones(2, 3)
model.to(device)
x = x.to(device)
print(model(x).shape)

# case: back to the host, too late
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
y = x * 2
y.cpu()
print(np.asarray(y))

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
y = x * 2
y = y.cpu()
print(np.asarray(y))

# case: several on one line
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.ones(3); b = torch.zeros(3)
a.to(device); b.to(device)
c = torch.full((3,), 2.0, device=device)
print((a + b + c).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.ones(3); b = torch.zeros(3)
a = a.to(device); b = b.to(device)
c = torch.full((3,), 2.0, device=device)
print((a + b + c).sum().item())

# case: a tensor that an object holds
import torch


class Game:
    def __init__(self, device):
        self.device = device
        self.model = torch.nn.Linear(4, 2).to(device)
        self.state = torch.zeros(1, 4)

    def play(self):
        self.state.to(self.device)
        return self.model(self.state).argmax().item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Game(device).play())

# output
import torch


class Game:
    def __init__(self, device):
        self.device = device
        self.model = torch.nn.Linear(4, 2).to(device)
        self.state = torch.zeros(1, 4)

    def play(self):
        self.state = self.state.to(self.device)
        return self.model(self.state).argmax().item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Game(device).play())

# case: modules move themselves
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net()
net.to(device)
criterion = nn.CrossEntropyLoss(weight=torch.ones(2))
criterion.to(device)
net.head.to(device)
for layer in net.layers:
    layer.to(device)
nn.Sequential(net, nn.ReLU()).to(device)
print(net(torch.ones(2, 3, device=device)).shape)

# case: a module from a helper
import torch


def build(size):
    model = torch.nn.Sequential(torch.nn.Linear(size, size), torch.nn.ReLU())
    return model.eval()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = build(3)
model.to(device)
print(model(torch.ones(2, 3, device=device)).shape)

# case: nobody knows what it is
import torch


def move(thing, device):
    thing.to(device)
    return torch.get_num_threads()

# case: a class of the program
import torch


class Robot:
    def __init__(self):
        self.place = torch.zeros(2)

    def to(self, place):
        self.place += place

    def cpu(self):
        print(self.place)


robot = Robot()
robot.to(torch.ones(2))
robot.cpu()

# case: the result is used
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def moved(x: torch.Tensor):
    return x.to(device)


x = torch.ones(3)
x = x.to(device)
y = [x.to(device) for _ in range(2)]
print(moved(x), y, x.to(device).sum())

# case: the dtype would change
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
x.to(torch.float64)
print(x.dtype, (x / 3).sum().item())

# case: a parameter would no longer be a leaf
# reports: DFX109
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.nn.Parameter(torch.ones(3))
weight.to(device)
print((weight * 2).sum().item())

# case: two names for one tensor that is written
# reports: DFX109
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3)
view = x
x.to(device)
view[0] = 5
print(x.sum().item())

# case: the moves of an optimizer's state
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
optimizer = torch.optim.Adam(model.parameters())
for state in optimizer.state.values():
    for key, value in state.items():
        if torch.is_tensor(value):
            state[key] = value.to(device)
print(model(torch.ones(2, 3, device=device)).shape)

# case: nothing reads the name any more
# reports: DFX109
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def total(rows):
    scale = torch.full((3,), 2.0, device=device)
    found = 0.0
    for row in rows:
        row = row.to(device)
        found += (row * scale).sum().item()
        row.cpu()
    scale.cpu()
    return found


print(total([torch.ones(3), torch.zeros(3)]))

# case: the next iteration reads the name
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def total(x, scale):
    found = 0.0
    for _ in range(2):
        found += (x.cpu() * 2).sum().item()
        scale = scale.to(device)
        x = x * scale
        x.to(device)
    return found


print(total(torch.ones(3, device=device), torch.ones(3)))

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def total(x, scale):
    found = 0.0
    for _ in range(2):
        found += (x.cpu() * 2).sum().item()
        scale = scale.to(device)
        x = x * scale
        x = x.to(device)
    return found


print(total(torch.ones(3, device=device), torch.ones(3)))

# case: a part of what was moved may be a module
import torch

dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def spread(model):
    model = model.to(dev)
    model.head.to(dev)
    return model


def shared(holder):
    holder.body = holder.body.to(dev)
    holder.body.norm.to(dev)
    return holder
