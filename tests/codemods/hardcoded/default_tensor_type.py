# case: all that it carries is seen
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_default_tensor_type("torch.cuda.FloatTensor")


def positions(n):
    return torch.arange(n).float().unsqueeze(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x) + positions(3) + torch.Tensor(3).fill_(1.0)


net = Net()
data = TensorDataset(torch.ones(8, 3).cpu(), torch.zeros(8, 3).cpu())
scale = torch.ones(3)
for x, y in DataLoader(data, batch_size=4, shuffle=True):
    x, y = x.cuda(), y.cuda()
    print((net(x) * scale - y).mean().item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def positions(n):
    return torch.arange(n, device=device).float().unsqueeze(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x) + positions(3) + torch.ones(3, device=x.device)


net = Net().to(device)
data = TensorDataset(torch.ones(8, 3).cpu(), torch.zeros(8, 3).cpu())
scale = torch.ones(3, device=device)
for x, y in DataLoader(data, batch_size=4, shuffle=True):
    x, y = x.to(device), y.to(device)
    print((net(x) * scale - y).mean().item())

# case: what is moved at once needs no device of its own, unless it is drawn there
import numpy as np
import torch

torch.set_default_tensor_type("torch.cuda.FloatTensor")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
poses = torch.Tensor(np.ones((2, 3))).to(device)
steps = torch.linspace(0, 1, 3).to(device)
noise = torch.randn(3).to(device)
print((poses * steps * noise).shape, torch.zeros(3).cpu().sum())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
poses = torch.Tensor(np.ones((2, 3))).to(device)
steps = torch.linspace(0, 1, 3).to(device)
noise = torch.randn(3, device=device).to(device)
print((poses * steps * noise).shape, torch.zeros(3).cpu().sum())

# case: in the main block, given as a type
import torch


def main(model):
    print(model(torch.ones(8, 3)).sum().item())


if __name__ == "__main__":
    torch.set_default_tensor_type(torch.cuda.FloatTensor)
    main(torch.nn.Linear(3, 1))

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main(model):
    print(model(torch.ones(8, 3, device=device)).sum().item())


if __name__ == "__main__":
    main(torch.nn.Linear(3, 1).to(device))

# case: code that was not seen may rely on it
import mystery
import torch

torch.set_default_tensor_type("torch.cuda.FloatTensor")
net = torch.nn.Linear(3, 1)
x = torch.ones(8, 3)
print(mystery.mask(x), net(x).sum().item())

# output
import mystery
import torch

if torch.cuda.is_available():
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
net = torch.nn.Linear(3, 1)
x = torch.ones(8, 3)
print(mystery.mask(x), net(x).sum().item())

# case: an option of the user decides
import sys

import torch

if "--gpu" in sys.argv:
    torch.set_default_tensor_type("torch.cuda.DoubleTensor")
else:
    torch.set_default_tensor_type("torch.DoubleTensor")
print(torch.nn.Linear(3, 1)(torch.ones(8, 3)).dtype)

# output
import sys

import torch

if "--gpu" in sys.argv:
    if torch.cuda.is_available():
        torch.set_default_tensor_type("torch.cuda.DoubleTensor")
else:
    torch.set_default_tensor_type("torch.DoubleTensor")
print(torch.nn.Linear(3, 1)(torch.ones(8, 3)).dtype)

# case: something has asked
import torch

if torch.cuda.is_available():
    torch.set_default_tensor_type(torch.cuda.FloatTensor)
print(torch.nn.Linear(3, 1)(torch.ones(8, 3)).sum().item())

# case: a type of the host
import torch

torch.set_default_tensor_type("torch.DoubleTensor")
print(torch.ones(3).dtype)

# case: a loader that shuffles below it
# reports: DFX207
import torch
from torch.utils.data import DataLoader, TensorDataset

if torch.cuda.is_available():
    torch.set_default_tensor_type(torch.cuda.FloatTensor)
data = TensorDataset(torch.ones(8, 3))
for (x,) in DataLoader(data, batch_size=4, shuffle=True):
    print(x.sum().item())

# case: a type of the host, and what is moved at once
import torch

torch.set_default_tensor_type("torch.DoubleTensor")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
steps = torch.linspace(0, 1, 3).to(device)
print(steps.dtype, torch.zeros(3).sum())

# case: loaders that draw nothing, or from a generator of their own
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.set_default_device(device)
data = TensorDataset(torch.ones(8, 3))
half, _ = random_split(data, [4, 4], generator=torch.Generator(device=device).manual_seed(0))
for (x,) in DataLoader(half, batch_size=4, shuffle=False):
    print(x.sum().item())

# case: it shares its line
import mystery
import torch

torch.manual_seed(0); torch.set_default_tensor_type("torch.cuda.FloatTensor")
print(mystery.mask(torch.ones(3)))

# output
import mystery
import torch

torch.manual_seed(0)
if torch.cuda.is_available():
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
print(mystery.mask(torch.ones(3)))

# case: it stands on the line of a header
# reports: DFX207
import mystery
import torch

for seed in (0, 1): torch.manual_seed(seed); torch.set_default_tensor_type("torch.cuda.FloatTensor")
print(mystery.mask(torch.ones(3)))

# case: no placement is right for a part of what it carries
import torch


def stamp(x):
    x.numpy()[0] = 1.0
    return x * torch.ones(3)


def train(net, x):
    print(net(x + torch.ones(3)).sum().item())


if __name__ == "__main__":
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    train(torch.nn.Linear(3, 1), torch.ones(3))

# output
import torch


def stamp(x):
    x.numpy()[0] = 1.0
    return x * torch.ones(3)


def train(net, x):
    print(net(x + torch.ones(3)).sum().item())


if __name__ == "__main__":
    if torch.cuda.is_available():
        torch.set_default_tensor_type("torch.cuda.FloatTensor")
    train(torch.nn.Linear(3, 1), torch.ones(3))

# case: the same where something has asked
import torch


def stamp(x):
    x.numpy()[0] = 1.0
    return x * torch.ones(3)


def train(net, x):
    print(net(x + torch.ones(3)).sum().item())


if __name__ == "__main__":
    if torch.cuda.is_available():
        torch.set_default_tensor_type("torch.cuda.FloatTensor")
    train(torch.nn.Linear(3, 1), torch.ones(3))

# case: all that is made is on the GPU, whatever an option says about a move
# reports: DFX201
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_false")
args = parser.parse_args()
if torch.cuda.is_available():
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
model = torch.nn.Linear(3, 3)
if args.cuda:
    model.cuda()
print(model(torch.ones(3)).sum().item() == 0)
