# case: a module that takes the tensors of a file for its own is where these are
# reports: DFX101 DFX103
import io

import torch
from torch import nn

file = io.BytesIO()
torch.save(nn.Linear(3, 3).state_dict(), file)
file.seek(0)
lin = nn.Linear(3, 3)
lin.load_state_dict(torch.load(file), assign=True)
print("%.5f" % lin(torch.randn(5, 3)).sum().item())

# case: item by item
# reports: DFX101 DFX103 DFX402
import torch
from torch import nn

state = torch.load("model.pt")
lin = nn.Linear(3, 3)
lin.load_state_dict({name: state[name] for name in ("weight", "bias")}, assign=True)
print("%.5f" % lin(torch.randn(5, 3)).sum().item())

# case: a module that is moved behind that is where it is moved to
import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
file = io.BytesIO()
torch.save(nn.Linear(3, 3).state_dict(), file)
file.seek(0)
lin = nn.Linear(3, 3)
lin.load_state_dict(torch.load(file), assign=True)
lin.to(device)
print("%.5f" % lin(torch.randn(5, 3)).sum().item())

# output
import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
file = io.BytesIO()
torch.save(nn.Linear(3, 3).state_dict(), file)
file.seek(0)
lin = nn.Linear(3, 3)
lin.load_state_dict(torch.load(file), assign=True)
lin.to(device)
print("%.5f" % lin(torch.randn(5, 3, device=device)).sum().item())

# case: a module that takes the tensors of a file where these are loaded to
import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
file = io.BytesIO()
torch.save(nn.Linear(3, 3).state_dict(), file)
file.seek(0)
lin = nn.Linear(3, 3)
state = torch.load(file, map_location=device)
lin.load_state_dict({name: value for name, value in state.items()}, assign=True)
print("%.5f" % lin(torch.randn(5, 3)).sum().item())

# output
import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
file = io.BytesIO()
torch.save(nn.Linear(3, 3).state_dict(), file)
file.seek(0)
lin = nn.Linear(3, 3).to(device)
state = torch.load(file, map_location=device)
lin.load_state_dict({name: value for name, value in state.items()}, assign=True)
print("%.5f" % lin(torch.randn(5, 3, device=device)).sum().item())

# case: what a tensor becomes on resuming is where it is loaded to
import io

import torch
from torch import nn
from torch.nn import functional as F


def resume(file, weights, device):
    state = torch.load(file, map_location=device)
    if "weights" in state["extras"]:
        weights = state["extras"].get("weights").float()
    return weights, state["epoch"]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 3).to(device)
file = io.BytesIO()
torch.save({"extras": {"weights": torch.ones(3)}, "epoch": 4}, file)
file.seek(0)
weights, epoch = resume(file, torch.ones(3), device)
out = model(torch.randn(6, 4, device=device))
print("%.4f" % F.cross_entropy(out, out.argmax(1), weight=weights).item(), epoch)

# output
import io

import torch
from torch import nn
from torch.nn import functional as F


def resume(file, weights, device):
    state = torch.load(file, map_location=device)
    if "weights" in state["extras"]:
        weights = state["extras"].get("weights").float()
    return weights, state["epoch"]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 3).to(device)
file = io.BytesIO()
torch.save({"extras": {"weights": torch.ones(3)}, "epoch": 4}, file)
file.seek(0)
weights, epoch = resume(file, torch.ones(3, device=device), device)
out = model(torch.randn(6, 4, device=device))
print("%.4f" % F.cross_entropy(out, out.argmax(1), weight=weights).item(), epoch)

# case: an object that is loaded may hold arrays
# reports: DFX103
import io

import torch
from torch import nn
from torch.nn import functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 3).to(device)
file = io.BytesIO()
torch.save({"weights": torch.ones(3)}, file)
file.seek(0)
state = torch.load(file, map_location=device, weights_only=False)
weights = state["weights"] if "weights" in state else torch.ones(3)
out = model(torch.randn(6, 4, device=device))
print("%.4f" % F.cross_entropy(out, out.argmax(1), weight=weights).item())

# case: of two files, one that says nothing
# reports: DFX103 DFX402
import sys

import torch
from torch import nn
from torch.nn import functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 3).to(device)
weights = torch.ones(3)
if len(sys.argv) > 1:
    weights = torch.load("a.pt", map_location=device)
if len(sys.argv) > 2:
    weights = torch.load("b.pt", weights_only=False)
out = model(torch.randn(6, 4, device=device))
print("%.4f" % F.cross_entropy(out, out.argmax(1), weight=weights).item())

# case: shadows that are loaded to the CPU go to where they are kept
import io

import torch
from torch import nn


class Average:
    def __init__(self, model):
        self.shadow = {k: v.detach().clone() for k, v in model.named_parameters()}

    def load_state_dict(self, state):
        self.shadow = {k: v.clone() for k, v in state.items()}

    def distance(self, model):
        with torch.no_grad():
            return sum((self.shadow[k] - v).abs().sum() for k, v in model.named_parameters())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 3).to(device)
average = Average(model)
file = io.BytesIO()
torch.save(average.shadow, file)
file.seek(0)
average.load_state_dict(torch.load(file, map_location="cpu"))
print("%.4f" % average.distance(model).item())

# output
import io

import torch
from torch import nn


class Average:
    def __init__(self, model):
        self.shadow = {k: v.detach().clone() for k, v in model.named_parameters()}

    def load_state_dict(self, state):
        self.shadow = {k: v.clone() for k, v in state.items()}

    def distance(self, model):
        with torch.no_grad():
            return sum((self.shadow[k].to(v.device) - v).abs().sum() for k, v in model.named_parameters())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 3).to(device)
average = Average(model)
file = io.BytesIO()
torch.save(average.shadow, file)
file.seek(0)
average.load_state_dict(torch.load(file, map_location="cpu"))
print("%.4f" % average.distance(model).item())

# case: the method of a tensor does not say where what was loaded in its place is
# reports: DFX101 DFX103 DFX402
import sys

import torch
from torch import nn

model = nn.Linear(8, 4)
means = torch.randn(3, 4)
if len(sys.argv) > 1:
    means = torch.load("means.pt")
z = model(torch.ones(5, 8))
print((z @ means.t()).shape, (z - means.mean(0)).shape, (z[:3] - means[:3]).shape)

# case: nor does a function
# reports: DFX101 DFX103 DFX402
import sys

import torch
from torch import nn

model = nn.Linear(8, 4)
means = torch.randn(5, 4)
if len(sys.argv) > 1:
    means = torch.load("means.pt")
z = model(torch.ones(5, 8))
print((z - torch.exp(means)).shape)

# case: nor what is made like it
# reports: DFX101 DFX103 DFX402
import sys

import torch
from torch import nn

model = nn.Linear(8, 4)
means = torch.randn(5, 4)
if len(sys.argv) > 1:
    means = torch.load("means.pt")
z = model(torch.ones(5, 8))
print((z - torch.zeros_like(means)).shape)

# case: nor a loop over it
# reports: DFX101 DFX103 DFX402
import sys

import torch
from torch import nn

model = nn.Linear(8, 4)
means = torch.randn(5, 4)
if len(sys.argv) > 1:
    means = torch.load("means.pt")
z = model(torch.ones(5, 8))
for row in means:
    print((z - row).shape)

# case: where it is loaded to is one of its places
import sys

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 4).to(device)
means = torch.randn(3, 4, device=device)
if len(sys.argv) > 1:
    means = torch.load("means.pt", map_location="cpu")
z = model(torch.ones(5, 8, device=device))
print((z @ means.t()).shape, (z[:3] - means[:3]).shape)

# output
import sys

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 4).to(device)
means = torch.randn(3, 4, device=device)
if len(sys.argv) > 1:
    means = torch.load("means.pt", map_location="cpu")
z = model(torch.ones(5, 8, device=device))
print((z @ means.t().to(device)).shape, (z[:3] - means[:3].to(device)).shape)

# case: the samples that a dataset of torchvision holds
import torch
import torchvision

test = torchvision.datasets.MNIST("data", train=False)
images = test.data.unsqueeze(1).float()[:100] / 255
labels = test.targets[:100]
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10))
scores = model(images)
print((scores.argmax(1).numpy() == labels.numpy()).mean())

# output
import torch
import torchvision

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

test = torchvision.datasets.MNIST("data", train=False)
images = (test.data.unsqueeze(1).float()[:100] / 255).to(device)
labels = test.targets[:100]
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10)).to(device)
scores = model(images)
print((scores.argmax(1).cpu().numpy() == labels.numpy()).mean())

# case: others hold arrays, or what nobody knows
# reports: DFX101
import torch
import torchvision

test = torchvision.datasets.PCAM("data", split="test")
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10))
print(model(test.data).shape)

# case: an image is made of a tensor on the CPU
import torch
from torchvision import transforms
from torchvision.transforms import functional as F

net = torch.nn.Conv2d(3, 3, 1)
to_image = transforms.ToPILImage()
x = net(torch.rand(1, 3, 8, 8)).detach()
to_image(x[0]).save("a.png")
F.to_pil_image(x[0]).save("b.png")

# output
import torch
from torchvision import transforms
from torchvision.transforms import functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Conv2d(3, 3, 1).to(device)
to_image = transforms.ToPILImage()
x = net(torch.rand(1, 3, 8, 8, device=device)).detach()
to_image(x[0].cpu()).save("a.png")
F.to_pil_image(x[0].cpu()).save("b.png")

# case: what is loaded, or made where there is no file
# reports: DFX101 DFX103 DFX402
import torch
import torch.nn as nn

net = nn.Linear(3, 2)
try:
    scale = torch.load("scale.pt")
except FileNotFoundError:
    scale = None
if scale is None:
    scale = torch.ones(2)
    torch.save(scale, "scale.pt")
print((net(torch.randn(4, 3)) * scale).shape)

# case: a module that TorchScript saves as a whole is where it was
# reports: DFX101 DFX103 DFX401
import torch
from torch import nn


class Reverb(nn.Module):
    def __init__(self):
        super().__init__()
        self.noise = nn.Parameter(torch.ones(3))
        self.register_buffer("t", torch.arange(3.0))

    def impulse(self):
        return self.noise @ torch.exp(-self.t)

    def forward(self, x):
        return x * self.impulse()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.reverb = Reverb()

    def forward(self, x):
        return self.reverb(self.fc(x))


class Wrapper(nn.Module):
    def __init__(self, net, mean):
        super().__init__()
        self.net = net
        self.register_buffer("mean", torch.tensor(mean))

    def forward(self, x):
        return self.net(x - self.mean)


net = Net()
state = torch.load("state.pth", map_location="cpu")
net.load_state_dict(state)
net.eval()
scripted = torch.jit.script(Wrapper(net, 0.5))
torch.jit.save(scripted, "net.ts")
impulse = net(torch.ones(2, 3)).reshape(-1).detach().numpy()
print(impulse)

# case: what becomes the weight of a layer is used where the layer is
import sys

import torch
from torch import nn


def load(model):
    model.load_state_dict(torch.load(sys.argv[1], map_location="cpu"))


def tuned():
    adapter = nn.Linear(4, 4, bias=False).cuda()
    adapter.weight = torch.load(sys.argv[2])
    return adapter(torch.zeros(3, 4).cuda())


net = nn.Linear(4, 4)
load(net)
net.cuda()
print(tuned().sum() + net(torch.zeros(3, 4).cuda()).sum())

# output
import sys

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load(model):
    model.load_state_dict(torch.load(sys.argv[1], map_location="cpu"))


def tuned():
    adapter = nn.Linear(4, 4, bias=False).to(device)
    adapter.weight = torch.load(sys.argv[2], map_location=device)
    return adapter(torch.zeros(3, 4, device=device))


net = nn.Linear(4, 4)
load(net)
net.to(device)
print(tuned().sum() + net(torch.zeros(3, 4, device=device)).sum())

# case: a number is no map_location
# reports: DFX402
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--device", type=int, default=-1)
parser.add_argument("--gpu", type=str, default="cuda")
args = parser.parse_args()
device = args.device if args.device >= 0 else "cpu"
model = nn.Linear(3, 2)
model.load_state_dict(torch.load("model.pt"))
model = model.to(device)
best = torch.load("best.pt")
print(model(torch.zeros(2, 3).to(device)) + best)


def second(place):
    first = 0 if torch.cuda.is_available() else "cpu"
    net = nn.Linear(3, 2)
    net.load_state_dict(torch.load("net.pt"))
    return net.to(first)


print(second(args.gpu)(torch.zeros(2, 3).to(0 if torch.cuda.is_available() else "cpu")).shape)

# output
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--device", type=int, default=-1)
parser.add_argument("--gpu", type=str, default="cuda")
args = parser.parse_args()
device = args.device if args.device >= 0 else "cpu"
model = nn.Linear(3, 2)
model.load_state_dict(torch.load("model.pt", map_location="cpu"))
model = model.to(device)
best = torch.load("best.pt")
print(model(torch.zeros(2, 3).to(device)) + best)


def second(place):
    first = 0 if torch.cuda.is_available() else "cpu"
    net = nn.Linear(3, 2)
    net.load_state_dict(torch.load("net.pt", map_location="cpu"))
    return net.to(first)


print(second(args.gpu)(torch.zeros(2, 3).to(0 if torch.cuda.is_available() else "cpu")).shape)

# case: what the program saves as options has no place
# reports: DFX402
import argparse
import sys

import torch
import zoo
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=3)
args = parser.parse_args()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        return self.last(x)


def save(net, path):
    torch.save({"options": args, "net": net.state_dict(), "mean": torch.zeros(3)}, path)


def restore(path):
    found = torch.load(path)
    zoo.configure(found["options"])
    net = Net()
    net.load_state_dict(found["net"])
    return net.cuda()


def centred(path):
    found = torch.load(path)
    zoo.configure(found["mean"])


net = restore(sys.argv[1])
save(net, "net.pt")
centred(sys.argv[1])

# output
import argparse
import sys

import torch
import zoo
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=3)
args = parser.parse_args()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        return self.last(x)


def save(net, path):
    torch.save({"options": args, "net": net.state_dict(), "mean": torch.zeros(3)}, path)


def restore(path):
    found = torch.load(path, map_location=device)
    zoo.configure(found["options"])
    net = Net()
    net.load_state_dict(found["net"])
    return net.to(device)


def centred(path):
    found = torch.load(path)
    zoo.configure(found["mean"])


net = restore(sys.argv[1])
save(net, "net.pt")
centred(sys.argv[1])
