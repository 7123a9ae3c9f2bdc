# case: a state
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
model.load_state_dict(torch.load("model.pt"))
print(model(torch.ones(2, 3, device=device)).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
model.load_state_dict(torch.load("model.pt", map_location=device))
print(model(torch.ones(2, 3, device=device)).shape)

# case: resuming
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--resume", default="")
parser.add_argument("--start-epoch", type=int, default=0)
args = parser.parse_args()
best_prec1 = 0
model = nn.Linear(3, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
if args.resume:
    checkpoint = torch.load(args.resume)
    args.start_epoch = checkpoint["epoch"]
    best_prec1 = checkpoint["best_prec1"]
    state = {k.replace("module.", ""): v for k, v in checkpoint["state_dict"].items()}
    model.load_state_dict(state, strict=False)
    optimizer.load_state_dict(checkpoint["optimizer"])
    print("=> loaded checkpoint '{}' (epoch {})".format(args.resume, checkpoint["epoch"]))
for epoch in range(args.start_epoch, args.start_epoch + 2):
    print(epoch, max(best_prec1, 1), model(torch.ones(2, 3).cuda()).shape)

# output
import argparse

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

parser = argparse.ArgumentParser()
parser.add_argument("--resume", default="")
parser.add_argument("--start-epoch", type=int, default=0)
args = parser.parse_args()
best_prec1 = 0
model = nn.Linear(3, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
if args.resume:
    checkpoint = torch.load(args.resume, map_location="cpu")
    args.start_epoch = checkpoint["epoch"]
    best_prec1 = checkpoint["best_prec1"]
    state = {k.replace("module.", ""): v for k, v in checkpoint["state_dict"].items()}
    model.load_state_dict(state, strict=False)
    optimizer.load_state_dict(checkpoint["optimizer"])
    print("=> loaded checkpoint '{}' (epoch {})".format(args.resume, checkpoint["epoch"]))
for epoch in range(args.start_epoch, args.start_epoch + 2):
    print(epoch, max(best_prec1, 1), model(torch.ones(2, 3, device=device)).shape)

# case: a random state belongs to the host
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
checkpoint = torch.load(
    "model.pt",
    weights_only=True,  # nothing else is in it
)
model.load_state_dict(checkpoint["model"])
torch.set_rng_state(checkpoint["rng"])
if "generator" in checkpoint:
    generator = torch.Generator()
    generator.set_state(checkpoint["generator"])
print(model(torch.ones(2, 3, device=device)).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
checkpoint = torch.load(
    "model.pt",
    weights_only=True,  # nothing else is in it
    map_location="cpu",
)
model.load_state_dict(checkpoint["model"])
torch.set_rng_state(checkpoint["rng"])
if "generator" in checkpoint:
    generator = torch.Generator()
    generator.set_state(checkpoint["generator"])
print(model(torch.ones(2, 3, device=device)).shape)

# case: a library, where nothing names a device
import torch


def restore(model, path, optimizer=None):
    state = torch.load(path)
    model.load_state_dict(state["model"])
    if optimizer is not None:
        optimizer.load_state_dict(state["optimizer"])


def warm_start(model, url):
    weights = torch.hub.load_state_dict_from_url(url, progress=False)
    own = model.state_dict()
    own.update({k: v for k, v in weights.items() if k in own})
    model.load_state_dict(own)

# output
import torch


def restore(model, path, optimizer=None):
    state = torch.load(path, map_location="cpu")
    model.load_state_dict(state["model"])
    if optimizer is not None:
        optimizer.load_state_dict(state["optimizer"])


def warm_start(model, url):
    weights = torch.hub.load_state_dict_from_url(url, progress=False, map_location="cpu")
    own = model.state_dict()
    own.update({k: v for k, v in weights.items() if k in own})
    model.load_state_dict(own)

# case: a whole model that is moved, and None by position
# reports: DFX616
import torch
from torch.utils import model_zoo

dev = torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')
net = torch.load('net.pt', None)
net.eval()
net = net.to(dev)
print(net(torch.ones(2, 3, device=dev)).shape)
head = torch.nn.Linear(1, 1).to(dev)
head.load_state_dict(model_zoo.load_url('https://example.org/head.pt', map_location=None))
print(head(net(torch.ones(2, 3, device=dev))).shape)

# output
import torch
from torch.utils import model_zoo

dev = torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')
net = torch.load('net.pt', dev)
net.eval()
net = net.to(dev)
print(net(torch.ones(2, 3, device=dev)).shape)
head = torch.nn.Linear(1, 1).to(dev)
head.load_state_dict(model_zoo.load_url('https://example.org/head.pt', map_location=dev))
print(head(net(torch.ones(2, 3, device=dev))).shape)

# case: what is called surely stands on CUDA
import torch

model = torch.nn.Linear(3, 1).cuda()
model.load_state_dict(torch.load("a.pt", map_location=lambda storage, location: storage.cuda()))
model.load_state_dict(torch.load("b.pt", map_location=lambda storage, loc: storage.cuda(0)))
print(model(torch.ones(2, 3).cuda()).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 1).to(device)
model.load_state_dict(torch.load("a.pt", map_location=device))
model.load_state_dict(torch.load("b.pt", map_location=device))
print(model(torch.ones(2, 3, device=device)).shape)

# case: through a function of the program
import torch


def read(path):
    state = torch.load(path)
    return state["model"], state["epoch"]


def main():
    model = torch.nn.Linear(3, 1).cuda()
    weights, epoch = read("model.pt")
    model.load_state_dict(weights)
    print(epoch + 1, model(torch.ones(2, 3).cuda()).shape)


main()

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def read(path):
    state = torch.load(path, map_location=device)
    return state["model"], state["epoch"]


def main():
    model = torch.nn.Linear(3, 1).to(device)
    weights, epoch = read("model.pt")
    model.load_state_dict(weights)
    print(epoch + 1, model(torch.ones(2, 3, device=device)).shape)


main()

# case: samples of a dataset stay on the host
import torch
from torch.utils.data import Dataset


class Features(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return torch.load(self.paths[index]).numpy()

# output
import torch
from torch.utils.data import Dataset


class Features(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return torch.load(self.paths[index], map_location="cpu").numpy()

# case: it says where
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
model.load_state_dict(torch.load("a.pt", map_location="cpu"))
model.load_state_dict(torch.load("b.pt", device))
model.load_state_dict(torch.load("c.pt", map_location=lambda storage, loc: storage))
model.load_state_dict(torch.load("d.pt", map_location={"cuda:0": "cpu"}))
where = "cpu"
model.load_state_dict(torch.load("e.pt", map_location=where))

# case: another accelerator than the first
# reports: DFX402
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
model.load_state_dict(torch.load("a.pt", map_location=lambda storage, loc: storage.cuda(1)))

# case: it may say where
import torch

options = {"map_location": "cpu"}
model = torch.nn.Linear(3, 1)
model.load_state_dict(torch.load("a.pt", **options))
model.load_state_dict(torch.load(*["b.pt", "cpu"]))

# case: a whole model that is called
# reports: DFX402 DFX616
import torch

model = torch.load("net.pt")
print(model(torch.ones(2, 3)).shape)

# case: tensors that the program computes with
# reports: DFX402
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
mean = torch.load("mean.pt")
print((torch.ones(3) - mean).sum().item(), torch.zeros(1, device=device).item())

# case: a random state, and something else
# reports: DFX402 DFX616
import torch

checkpoint = torch.load("all.pt")
torch.set_rng_state(checkpoint["rng"])
print(checkpoint["model"](torch.ones(2, 3)))

# case: what is loaded is added to what is loaded elsewhere, in place
# reports: DFX402 DFX402
import torch


def merge(bases, delta_file, out):
    delta = torch.load(delta_file)
    for number, file in enumerate(bases):
        state = torch.load(file)
        for name, _ in state.items():
            state[name] += delta[name]
        torch.save(state, f"{out}/{number}.bin")

# case: a counter of what is loaded is counted up
import torch


def resume(model, path):
    state = torch.load(path)
    model.load_state_dict(state["model"])
    epoch = state["epoch"]
    epoch += 1
    print(epoch)

# output
import torch


def resume(model, path):
    state = torch.load(path, map_location="cpu")
    model.load_state_dict(state["model"])
    epoch = state["epoch"]
    epoch += 1
    print(epoch)

# case: it becomes the parameters
# reports: DFX402
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1)
model.load_state_dict(torch.load("model.pt"), assign=True)
model.to(device)
print(model(torch.ones(2, 3, device=device)).shape)

# case: handed to code that was not seen
# reports: DFX402
import torch
from somewhere import convert

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
model.load_state_dict(convert(torch.load("model.pt")))

# case: kept where others may read it
# reports: DFX402
import torch


class Cache:
    def __init__(self, path):
        self.features = torch.load(path)

# case: somebody else's object keeps it
# reports: DFX402
import torch
from somewhere import vocabulary

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
vocabulary.vectors = torch.load("vectors.pt")
print(torch.zeros(1, device=device).item())

# case: published weights are tensors of the host
import torch
from torch import nn
from torch.utils import model_zoo

urls = {
    "tiny": "https://download.pytorch.org/models/tiny.pth",
    "small": "https://download.pytorch.org/models/small.pth",
}


def tiny(name="tiny"):
    model = nn.Linear(3, 1)
    model.load_state_dict(model_zoo.load_url(urls[name]))
    return model


def small():
    model = nn.Linear(3, 1)
    url = "https://download.pytorch.org/models/small.pth"
    model.load_state_dict(torch.hub.load_state_dict_from_url(urls["small"]))
    return model

# case: another load
import json
import pickle

import numpy as np
import torch

with open("a.json") as file:
    print(json.load(file), np.load("a.npy").shape, torch.ones(1).item())
with open("a.pkl", "rb") as file:
    print(pickle.load(file))

# case: suppressed
import torch

model = torch.nn.Linear(3, 1)
model.load_state_dict(torch.load("a.pt"))  # devicefix: ignore[DFX402]

# case: an option that lists the numbers of accelerators, set again where there is one
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--devices", type=str, default="0,1,2,3")
parser.add_argument("--several", action="store_true")
args = parser.parse_args()
use_gpu = torch.cuda.is_available()
if use_gpu and args.several:
    args.devices = args.devices.replace(" ", "")
    print(args.devices.split(","))


class Experiment:
    def __init__(self, args):
        self.args = args
        self.model = torch.nn.Linear(3, 2)

    def test(self):
        self.model.load_state_dict(torch.load("model.pt"))
        return self.model(torch.ones(2, 3))


print(Experiment(args).test().shape)

# output
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--devices", type=str, default="0,1,2,3")
parser.add_argument("--several", action="store_true")
args = parser.parse_args()
use_gpu = torch.cuda.is_available()
device = torch.device("cuda" if use_gpu else "cpu")
if use_gpu and args.several:
    args.devices = args.devices.replace(" ", "")
    print(args.devices.split(","))


class Experiment:
    def __init__(self, args):
        self.args = args
        self.model = torch.nn.Linear(3, 2).to(device)

    def test(self):
        self.model.load_state_dict(torch.load("model.pt", map_location=device))
        return self.model(torch.ones(2, 3, device=device))


print(Experiment(args).test().shape)

# case: an option that may be no device, used as one below a condition
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--place", choices=["cpu", "auto"])
args = parser.parse_args()
net = torch.nn.Linear(3, 2)
if args.place != "auto":
    net.to(args.place)
net.load_state_dict(torch.load("net.pt"))
print(net)

# output
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--place", choices=["cpu", "auto"])
args = parser.parse_args()
net = torch.nn.Linear(3, 2)
if args.place != "auto":
    net.to(args.place)
net.load_state_dict(torch.load("net.pt", map_location="cpu"))
print(net)

# case: the file loads to the CPU elsewhere
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model, other = torch.nn.Linear(3, 1).to(device), torch.nn.Linear(3, 1).to(device)
torch.save(model.state_dict(), "model.pt")
model.load_state_dict(torch.load("model.pt", map_location=lambda storage, loc: storage))
other.load_state_dict(torch.load("other.pt"))
print(other(torch.ones(2, 3, device=device)).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model, other = torch.nn.Linear(3, 1).to(device), torch.nn.Linear(3, 1).to(device)
torch.save(model.state_dict(), "model.pt")
model.load_state_dict(torch.load("model.pt", map_location=lambda storage, loc: storage))
other.load_state_dict(torch.load("other.pt", map_location="cpu"))
print(other(torch.ones(2, 3, device=device)).shape)

# case: a text of the checkpoint is written to a file
import torch

def restore(text):
    with open("settings.yaml", "w") as f:
        f.write(text)

saved = torch.load("model.pt")
restore(saved["settings"])
model = torch.nn.Linear(3, 1).cuda()
model.load_state_dict(saved["model"])

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def restore(text):
    with open("settings.yaml", "w") as f:
        f.write(text)

saved = torch.load("model.pt", map_location=device)
restore(saved["settings"])
model = torch.nn.Linear(3, 1).to(device)
model.load_state_dict(saved["model"])

# case: what has a method of that name, and is no file
# reports: DFX402
import torch
from shelf import open_shelf

saved = torch.load("model.pt")
with open_shelf() as shelf:
    shelf.write(saved["settings"])

# case: below a question for CUDA nothing has to change
import torch
from torch import nn

net = nn.Linear(2, 1)
if torch.cuda.is_available():
    net.load_state_dict(torch.load("net.pt"))
    net.cuda()
else:
    net.load_state_dict(torch.load("net.pt", map_location="cpu"))
print(net.weight.shape)

# case: an optimizer brings its state to its parameters, but leaves its counts where they are loaded
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
optimizer = torch.optim.Adam(net.parameters())
net.load_state_dict(torch.load("net.pt"))
optimizer.load_state_dict(torch.load("optimizer.pt"))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
optimizer = torch.optim.Adam(net.parameters())
net.load_state_dict(torch.load("net.pt", map_location="cpu"))
optimizer.load_state_dict(torch.load("optimizer.pt", map_location="cpu"))

# case: the main block of a file that others may import
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def validate(model):
    print(model(torch.ones(2, 3, device=device)).shape)


if __name__ == "__main__":
    model = nn.Linear(3, 1)
    checkpoint = torch.load("model.pt")
    model.load_state_dict(checkpoint)
    model.to(device)
    validate(model)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def validate(model):
    print(model(torch.ones(2, 3, device=device)).shape)


if __name__ == "__main__":
    model = nn.Linear(3, 1)
    checkpoint = torch.load("model.pt", map_location=device)
    model.load_state_dict(checkpoint)
    model.to(device)
    validate(model)

# case: an object that has a device of its own and options that have one, too
import torch


class Options:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Experiment:
    def __init__(self, args):
        self.args = args
        self.device = self.args.device
        self.net = torch.nn.Linear(3, 1).to(self.device)

    def test(self, path):
        self.net.load_state_dict(torch.load(path))
        return self.net(torch.ones(2, 3).to(self.device))


if __name__ == "__main__":
    Experiment(Options()).test("net.pth")

# output
import torch


class Options:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Experiment:
    def __init__(self, args):
        self.args = args
        self.device = self.args.device
        self.net = torch.nn.Linear(3, 1).to(self.device)

    def test(self, path):
        self.net.load_state_dict(torch.load(path, map_location=self.device))
        return self.net(torch.ones(2, 3).to(self.device))


if __name__ == "__main__":
    Experiment(Options()).test("net.pth")

# case: the parameter that would name the device comes with an unsafe fix only
# reports: DFX101
import torch
from torch import nn
from unseen import create


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 3)
        self.head = nn.Identity()

    def forward(self, x):
        return self.last(x)


def pretrained(name, path):
    if name == "small":
        net = Small()
    else:
        net = create(name)
        net.head = nn.Identity()
    if path:
        net.load_state_dict(torch.load(path))
    return net


def main(name, path):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = pretrained(name, path)
    model = create("x", net).to(device)
    print(model(torch.ones(2, 3, device=device)).sum().item())
    print(net(torch.ones(2, 3, device=device)))


if __name__ == "__main__":
    main("small", "net.pt")

# output
import torch
from torch import nn
from unseen import create


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 3)
        self.head = nn.Identity()

    def forward(self, x):
        return self.last(x)


def pretrained(name, path):
    if name == "small":
        net = Small()
    else:
        net = create(name)
        net.head = nn.Identity()
    if path:
        net.load_state_dict(torch.load(path, map_location="cpu"))
    return net


def main(name, path):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = pretrained(name, path)
    model = create("x", net).to(device)
    print(model(torch.ones(2, 3, device=device)).sum().item())
    print(net(torch.ones(2, 3, device=device)))


if __name__ == "__main__":
    main("small", "net.pt")

# case: the device that would be named comes with an unsafe fix, and the load goes to code that was not seen
# reports: DFX402
import torch
from unseen import create, restore


def main(path):
    net = create("small")
    restore(net, torch.load(path))
    return net(torch.ones(2, 3))


print(main("net.pt"))

# case: attributes whose names are not written out
# reports: DFX402
import torch


class Workspace:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.agent = torch.nn.Linear(2, 2).to(self.device)

    def load(self, path):
        for key, value in torch.load(path).items():
            self.__dict__[key] = value

    def load_again(self, path):
        for key, value in torch.load(path).items():
            setattr(self, key, value)


def main():
    work = Workspace()
    work.load("first.pt")
    work.load_again("second.pt")
    print(work.agent(torch.ones(3, 2, device=work.device)))


if __name__ == "__main__":
    main()

# case: a load whose failure is caught: without a GPU the program would go on without its weights
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
try:
    checkpoint = torch.load("best.pth")
    start = checkpoint["epoch"]
    model.load_state_dict(checkpoint["state"])
except:
    start = 0
print(start, model(torch.ones(2, 3, device=device)).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
try:
    checkpoint = torch.load("best.pth", map_location=device)
    start = checkpoint["epoch"]
    model.load_state_dict(checkpoint["state"])
except:
    start = 0
print(start, model(torch.ones(2, 3, device=device)).shape)

# case: unchanged, the best model of this run is loaded again
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class EarlyStopping:
    def __init__(self):
        self.best = None

    def __call__(self, loss, model, path):
        if self.best is None:
            self.best = loss
            self.save(model, path)
        elif loss < self.best:
            self.best = loss
            self.save(model, path)

    def save(self, model, path):
        torch.save(model.state_dict(), path + "/" + "checkpoint.pth")


def train(model, folder, data):
    stopping = EarlyStopping()
    for batch in data:
        stopping(float(model(batch.to(device)).mean()), model, folder)
    best = folder + "/" + "checkpoint.pth"
    model.load_state_dict(torch.load(best))
    return model


train(torch.nn.Linear(3, 1).to(device), ".", [torch.ones(2, 3)])

# case: unchanged, saved on the line before
import os
import sys

import torch

PATH = os.path.join(sys.argv[1], "net.pt")
net = torch.nn.Linear(3, 1).to("cuda:0" if torch.cuda.is_available() else "cpu")


def keep():
    torch.save(net.state_dict(), PATH)


keep()
net.load_state_dict(torch.load(PATH))

# case: saved on some ways only
import sys

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
if len(sys.argv) > 1:
    torch.save(net.state_dict(), "net.pt")
net.load_state_dict(torch.load("net.pt"))

# output
import sys

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
if len(sys.argv) > 1:
    torch.save(net.state_dict(), "net.pt")
net.load_state_dict(torch.load("net.pt", map_location=device))

# case: an option says in all turns whether it is saved
import argparse

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
parser = argparse.ArgumentParser()
parser.add_argument("--save", action="store_true")
args = parser.parse_args()
net = torch.nn.Linear(3, 1).to(device)
for epoch in range(3):
    if args.save:
        torch.save(net.state_dict(), "net.pt")
net.load_state_dict(torch.load("net.pt"))

# output
import argparse

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
parser = argparse.ArgumentParser()
parser.add_argument("--save", action="store_true")
args = parser.parse_args()
net = torch.nn.Linear(3, 1).to(device)
for epoch in range(3):
    if args.save:
        torch.save(net.state_dict(), "net.pt")
net.load_state_dict(torch.load("net.pt", map_location=device))

# case: another path, one that changes in each turn, and one that is loaded before it is saved
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
name = "first.pt"
for epoch in range(3):
    net.load_state_dict(torch.load("net.pt"))
    name = f"net{epoch}.pt"
    if epoch % 2:
        torch.save(net.state_dict(), name)
    torch.save(net.state_dict(), "net.pt")
net.load_state_dict(torch.load(name))
net.load_state_dict(torch.load("net.pth"))

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
name = "first.pt"
for epoch in range(3):
    net.load_state_dict(torch.load("net.pt", map_location=device))
    name = f"net{epoch}.pt"
    if epoch % 2:
        torch.save(net.state_dict(), name)
    torch.save(net.state_dict(), "net.pt")
net.load_state_dict(torch.load(name, map_location=device))
net.load_state_dict(torch.load("net.pth", map_location=device))

# case: unchanged, a copy by way of a buffer
import io

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net, copy = torch.nn.Linear(3, 1).to(device), torch.nn.Linear(3, 1).to(device)
buffer = io.BytesIO()
torch.save(net.state_dict(), buffer)
buffer.seek(0)
copy.load_state_dict(torch.load(buffer))

# case: unchanged, a method saves to its default path if the score is better
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Trainer:
    def __init__(self, net, folder):
        self.net = net
        self.folder = folder

    def keep(self, name="best.pt"):
        torch.save(self.net.state_dict(), f"{self.folder}/{name}")

    def train(self, data):
        best = 0.0
        for batch in data:
            score = float(self.net(batch.to(device)).mean())
            if score > best:
                best = score
                self.keep()
        self.net.load_state_dict(torch.load(f=f"{self.folder}/{'best.pt'}"))


Trainer(torch.nn.Linear(3, 1).to(device), ".").train([torch.ones(2, 3)])

# case: what takes the place of a tensor that meets the device
import torch
from torch import nn


class Trainer:
    def __init__(self, device):
        self.device = device
        self.model = nn.Linear(8, 4).to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.means = torch.zeros(4)

    def resume(self, path):
        saved = torch.load(path)
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.means = saved["means"]
        print(saved["step"])

    def step(self, x):
        z = self.model(x.to(self.device))
        centred = z - torch.nan_to_num(self.means)
        self.means = 0.9 * self.means + 0.1 * z.detach().mean(0)
        return centred


trainer = Trainer(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
trainer.resume("last.pt")
print(trainer.step(torch.ones(2, 8)).shape)

# output
import torch
from torch import nn


class Trainer:
    def __init__(self, device):
        self.device = device
        self.model = nn.Linear(8, 4).to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.means = torch.zeros(4, device=device)

    def resume(self, path):
        saved = torch.load(path, map_location=self.device)
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.means = saved["means"]
        print(saved["step"])

    def step(self, x):
        z = self.model(x.to(self.device))
        centred = z - torch.nan_to_num(self.means)
        self.means = 0.9 * self.means + 0.1 * z.detach().mean(0)
        return centred


trainer = Trainer(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
trainer.resume("last.pt")
print(trainer.step(torch.ones(2, 8)).shape)

# case: what meets the device, and the CPU, too
# reports: DFX402 DFX103
import sys

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 3).to(device)
order = torch.arange(3)
if len(sys.argv) > 1:
    order = torch.load("order.pt")
x = torch.ones(4, 3)
print((net(x.to(device)) * order).shape, x[:, order].sum())

# case: what meets the device, beside a random state
# reports: DFX402 DFX103
import sys

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 3).to(device)
means = torch.zeros(3)
if len(sys.argv) > 1:
    saved = torch.load("means.pt")
    torch.set_rng_state(saved["rng"])
    means = saved["means"]
print((net(torch.ones(4, 3).to(device)) - means).shape)

# case: what meets what another file brings
# reports: DFX402 DFX402
import sys

import torch

means, scale = torch.zeros(3), torch.ones(3)
if len(sys.argv) > 1:
    means = torch.load("means.pt")
    scale = torch.load("scale.pt")
print((means * scale).shape)

# case: weights that torchvision publishes, by names
import torch.utils.model_zoo as model_zoo
from torch import nn

URLS = {
    "small": "https://download.pytorch.org/models/small.pth",
    "large": "https://download.pytorch.org/models/large.pth",
}
TINY = "https://download.pytorch.org/models/tiny.pth"


class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Linear(3, 1)
        url = URLS["{}".format(size)]
        self.load_state_dict(model_zoo.load_url(url))
        self.load_state_dict(model_zoo.load_url(TINY))

# case: what handles the failure loads again and says where to
import torch


def load(net, path):
    try:
        net.load_state_dict(torch.load(path))
    except RuntimeError:
        net.load_state_dict(torch.load(path, map_location=lambda storage, loc: storage))

# case: what is loaded where the file is missing
import torch


def load(net, path, other):
    try:
        net.load_state_dict(torch.load(path))
    except FileNotFoundError:
        net.load_state_dict(torch.load(other, map_location="cpu"))

# output
import torch


def load(net, path, other):
    try:
        net.load_state_dict(torch.load(path, map_location="cpu"))
    except FileNotFoundError:
        net.load_state_dict(torch.load(other, map_location="cpu"))
