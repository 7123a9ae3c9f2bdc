# case: a guard of one line and a block
import torch

model = torch.nn.Linear(3, 1)
x = torch.ones(2, 3)
if torch.cuda.is_available(): model.cuda()
if torch.cuda.is_available():
    # the batch follows
    x = x.cuda()  # all of it
print(model(x).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 1)
x = torch.ones(2, 3)
model.to(device)
# the batch follows
x = x.to(device)  # all of it
print(model(x).shape)

# case: a name for the question
import torch
from torch.autograd import Variable

use_gpu = torch.cuda.is_available()

net = torch.nn.Linear(3, 1)
if use_gpu:
    net = net.cuda()
for step in range(2):
    data = torch.randn(4, 3)
    if use_gpu:
        data = Variable(data.cuda())
    else:
        data = Variable(data)
    noise = torch.randn(4, 1)
    if use_gpu:
        noise = noise.cuda()
    print((net(data) + noise).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 1)
net = net.to(device)
for step in range(2):
    data = torch.randn(4, 3)
    data = data.to(device)
    noise = torch.randn(4, 1)
    noise = noise.to(device)
    print((net(data) + noise).sum().item())

# case: an option of the user
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()

torch.manual_seed(args.seed)
if args.cuda:
    torch.cuda.manual_seed(args.seed)

model = torch.nn.Linear(3, 1)
if args.cuda:
    model.cuda()


def train():
    data, target = torch.randn(4, 3), torch.randn(4, 1)
    if args.cuda:
        data, target = data.cuda(), target.cuda()
    loss = torch.nn.functional.mse_loss(model(data), target)
    loss.backward()
    print(loss.item())


train()

# output
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()
device = torch.device("cuda" if args.cuda else "cpu")

torch.manual_seed(args.seed)
if args.cuda:
    torch.cuda.manual_seed(args.seed)

model = torch.nn.Linear(3, 1)
model.to(device)


def train():
    data, target = torch.randn(4, 3), torch.randn(4, 1)
    data, target = data.to(device), target.to(device)
    loss = torch.nn.functional.mse_loss(model(data), target)
    loss.backward()
    print(loss.item())


train()

# case: ternaries
import torch

cuda = torch.cuda.is_available()
a = torch.ones(3)
a = a.cuda() if cuda else a
b = torch.zeros(3).cuda() if torch.cuda.is_available() else torch.zeros(3)
print((a + b).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

cuda = torch.cuda.is_available()
a = torch.ones(3)
a = a.to(device)
b = torch.zeros(3, device=device)
print((a + b).sum().item())

# case: the question whether another tensor is there
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super(Attention, self).__init__()
        self.linear = nn.Linear(size, size)

    def forward(self, x):
        mask = torch.tril(torch.ones(x.size(0), x.size(0)))
        if x.is_cuda:
            mask = mask.cuda()
        return mask @ self.linear(x)

# output
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super(Attention, self).__init__()
        self.linear = nn.Linear(size, size)

    def forward(self, x):
        mask = torch.tril(torch.ones(x.size(0), x.size(0)))
        mask = mask.to(x.device)
        return mask @ self.linear(x)

# case: tabs and blank lines
import torch

def main():
	model = torch.nn.Linear(3, 1)
	x = torch.ones(2, 3)

	if torch.cuda.is_available():  # GPU
		model = model.cuda()

		x = x.cuda(non_blocking=True)

	print(model(x).shape)

main()

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def main():
	model = torch.nn.Linear(3, 1)
	x = torch.ones(2, 3)

	# GPU
	model = model.to(device)

	x = x.to(device, non_blocking=True)

	print(model(x).shape)

main()

# case: a statement over several lines
import torch

x = torch.ones(2, 3)
if torch.cuda.is_available():
    x = x.cuda(
        non_blocking=True,
    )
print(x.sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

x = torch.ones(2, 3, device=device)
print(x.sum().item())

# case: a guard that cannot be opened, and one that decides more
# reports: DFX204
import torch

x = torch.ones(2, 3)
y = torch.ones(3).cuda()
if torch.cuda.is_available():  # a laptop has none
    x = x.cuda()
else: print("no accelerator")
if torch.cuda.is_available(): x = x.cuda(); size = x.numel()
if (
    torch.cuda.is_available()  # asked again
):
    x = x.cuda()
if torch.cuda.is_available(): x = x.cuda()
print((x + y).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

x = torch.ones(2, 3)
y = torch.ones(3, device=device)
if torch.cuda.is_available():  # a laptop has none
    x = x.cuda()
else: print("no accelerator")
if torch.cuda.is_available(): x = x.cuda(); size = x.numel()
if (
    torch.cuda.is_available()  # asked again
):
    x = x.cuda()
print((x + y).sum().item())

# case: a flag that an object holds
import torch
from torch import nn


class Trainer:
    def __init__(self, model, cuda):
        self.model = model
        self.cuda = cuda
        if self.cuda:
            self.model.cuda()


print(Trainer(nn.Linear(3, 1), torch.cuda.is_available()).model)

# output
import torch
from torch import nn


class Trainer:
    def __init__(self, model, cuda):
        self.model = model
        self.cuda = cuda
        self.device = torch.device("cuda" if self.cuda else "cpu")
        self.model.to(self.device)


print(Trainer(nn.Linear(3, 1), torch.cuda.is_available()).model)

# case: an index of the user, or none
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu-id", type=int, default=0)
args = parser.parse_args()

model = torch.nn.Linear(3, 1)
x = torch.ones(2, 3)
if args.gpu_id >= 0:
    model = model.cuda(args.gpu_id)
    x = x.cuda(args.gpu_id)
scale = torch.ones(1).cuda(args.gpu_id) if args.gpu_id >= 0 else torch.ones(1)
print(model(x * scale).shape)

# output
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu-id", type=int, default=0)
args = parser.parse_args()
device = torch.device(f"cuda:{args.gpu_id}" if args.gpu_id >= 0 and torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 1)
x = torch.ones(2, 3)
model = model.to(device)
x = x.to(device)
scale = torch.ones(1, device=device)
print(model(x * scale).shape)

# case: an index that a function is given
# reports: DFX201
import torch


def send(batch, gpu):
    x = batch["x"]
    if gpu is not None:
        x = x.cuda(gpu)
    return x

# case: something else in the body
import torch

if torch.cuda.is_available():
    torch.backends.cudnn.benchmark = True
    torch.cuda.manual_seed_all(1)
    print("running on", torch.cuda.get_device_name(0))
print(torch.ones(1).item())

# case: a device is chosen
import torch

if torch.cuda.is_available():
    device = torch.device("cuda")
else:
    device = torch.device("cpu")
kwargs = {"num_workers": 1, "pin_memory": True} if torch.cuda.is_available() else {}
print(torch.ones(1, device=device).item(), kwargs)

# case: a warning
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
if torch.cuda.is_available() and not args.cuda:
    print("WARNING: You have a CUDA device, so you should probably run with --cuda")
device = torch.device("cuda" if args.cuda else "cpu")
print(torch.ones(1, device=device).item())

# case: several devices
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1)
if torch.cuda.device_count() > 1:
    model = torch.nn.DataParallel(model)
model.to(device)
print(model(torch.ones(2, 3, device=device)).shape)

# case: another class with a method of that name
import torch


class Car:
    def cuda(self):
        return "Plymouth"


car = Car()
if torch.cuda.is_available():
    car = car.cuda()
print(car)

# case: another accelerator, already by its device
import torch

device = torch.device("mps" if torch.backends.mps.is_available() else "cpu")
x = torch.ones(3)
if device.type == "mps":
    x = x.to(device)
print(x.sum().item())

# case: suppressed
import torch

x = torch.ones(3)
if torch.cuda.is_available():  # devicefix: ignore
    x = x.cuda()  # devicefix: ignore[DFX2]
print(x.sum().item())

# case: the program compiles CUDA kernels of its own
# reports: DFX212
import torch
from torch.utils.cpp_extension import load

scan = load(name="scan", sources=["scan.cu"])
x = torch.ones(3)
if torch.cuda.is_available():
    x = x.cuda()
print(scan.forward(x))

# case: a condition that is not about CUDA
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def forward(x, y, mode):
    if mode == "train":
        y = y.to(x.device)
    return torch.cat([x, x]), y

# case: an option that shares its line with others
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available(); del args.no_cuda
net = torch.nn.Linear(3, 1)
if args.cuda:
    net.cuda()
print(net)

# output
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available(); del args.no_cuda
device = torch.device("cuda" if args.cuda else "cpu")
net = torch.nn.Linear(3, 1)
net.to(device)
print(net)

# case: a helper that follows, in a file whose main block has a device
import torch
from torch import nn


def eye_of(trans):
    eye = torch.eye(3)
    if trans.is_cuda:
        eye = eye.cuda()
    return trans - eye


if __name__ == "__main__":
    net = nn.Linear(3, 3).cuda()
    print(eye_of(net(torch.ones(3, 3).cuda())).shape)

# output
import torch
from torch import nn


def eye_of(trans):
    eye = torch.eye(3, device=trans.device)
    return trans - eye


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(3, 3).to(device)
    print(eye_of(net(torch.ones(3, 3, device=device))).shape)

# case: a flag of somebody else
import torch


def scaled(x, fast):
    if fast:
        x = x.to(x.device)
    return x * 2

# case: a guard that asks if there is anything to move
import torch

use_cuda = torch.cuda.is_available()


def generate(net, x, mask=None, bias=None):
    if use_cuda:
        x = x.cuda()
        mask = None if mask is None else mask.cuda()
        if bias is not None:
            bias = bias.cuda()  # rarely there
    if mask is not None:
        x = x * mask
    return net(x if bias is None else x + bias)


net = torch.nn.Linear(3, 1)
if use_cuda:
    net.cuda()
print(generate(net, torch.ones(2, 3)).shape)
print(generate(net, torch.ones(2, 3), torch.zeros(3), torch.ones(3)).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def generate(net, x, mask=None, bias=None):
    x = x.to(device)
    mask = None if mask is None else mask.to(device)
    if bias is not None:
        bias = bias.to(device)  # rarely there
    if mask is not None:
        x = x * mask
    return net(x if bias is None else x + bias)


net = torch.nn.Linear(3, 1)
net.to(device)
print(generate(net, torch.ones(2, 3)).shape)
print(generate(net, torch.ones(2, 3), torch.zeros(3), torch.ones(3)).shape)

# case: a guard around a helper that must have an else
import torch

x = torch.ones(2)
if torch.cuda.is_available():
    shift = torch.zeros(2) if x.sum() > 3 else torch.ones(2)
else:
    shift = None
print(x if shift is None else x + shift)

# case: the question is asked about something else
import torch


def shift(x, y):
    if x is not None:
        y = None if y is None else y.to(x.device)
    return y


print(shift(torch.ones(2), torch.ones(2)))

# case: a module says where it is
import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.LSTM(3, 3)

    def is_cuda(self):
        return self.enc.bias_hh_l0.data.is_cuda

    def forward(self, x, order):
        order = torch.from_numpy(order).cuda() if self.is_cuda() \
            else torch.from_numpy(order)
        return self.enc(x.index_select(1, order))

    def encode(self, x, order):
        if self.is_cuda():
            x = x.cuda()
        return self.forward(x, order)


net = Net()
print(net.encode(torch.ones(2, 3, 3), np.arange(3))[0].shape)

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.LSTM(3, 3)

    def is_cuda(self):
        return self.enc.bias_hh_l0.data.is_cuda

    def forward(self, x, order):
        order = torch.from_numpy(order).to(x.device)
        return self.enc(x.index_select(1, order))

    def encode(self, x, order):
        x = x.to(self.enc.weight_ih_l0.device)
        return self.forward(x, order)


net = Net().to(device)
print(net.encode(torch.ones(2, 3, 3), np.arange(3))[0].shape)

# case: a module says whether it may move
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, gpu):
        super().__init__()
        self.gpu = gpu
        self.enc = nn.Linear(3, 3)

    def is_cuda(self):
        return self.gpu is not None

    def forward(self, x):
        return self.enc(x if self.is_cuda() else x + 1)


print(Net)

# case: what is there with CUDA only stays below its condition
import torch
from torch import nn

net = nn.Linear(3, 2)
bias = torch.ones(2).cuda()
use_cuda = torch.cuda.is_available()
mask = None
if use_cuda:
    extra = torch.ones(2, 3)
    mask = torch.ones(2, 3)
for x in [torch.zeros(2, 3)]:
    # size = torch.ones(2, 3)
    if use_cuda:
        extra = extra.cuda()
        x = x.cuda()
    if use_cuda:
        mask = mask.cuda()
    if use_cuda:
        net.cuda()
    print(net(x) + bias)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 2)
bias = torch.ones(2, device=device)
use_cuda = torch.cuda.is_available()
mask = None
if use_cuda:
    extra = torch.ones(2, 3)
    mask = torch.ones(2, 3)
for x in [torch.zeros(2, 3)]:
    # size = torch.ones(2, 3)
    if use_cuda:
        extra = extra.cuda()
        x = x.cuda()
    if use_cuda:
        mask = mask.cuda()
    net.to(device)
    print(net(x) + bias)

# case: an attribute that is there with CUDA only
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.reset()
        if torch.cuda.is_available():
            self.extra = torch.ones(3)

    def reset(self):
        self.scale = torch.ones(3)

    def forward(self, x):
        if torch.cuda.is_available():
            self.scale = self.scale.cuda()
        if torch.cuda.is_available():
            self.extra = self.extra.cuda()
        return self.fc(x * self.scale)


net = Net()
x = torch.zeros(2, 3)
if torch.cuda.is_available():
    net.cuda()
    x = x.cuda()
print(net(x))

# output
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.reset()
        if torch.cuda.is_available():
            self.extra = torch.ones(3)

    def reset(self):
        self.scale = torch.ones(3)

    def forward(self, x):
        self.scale = self.scale.to(x.device)
        if torch.cuda.is_available():
            self.extra = self.extra.cuda()
        return self.fc(x * self.scale)


net = Net()
x = torch.zeros(2, 3)
if torch.cuda.is_available():
    net.cuda()
    x = x.cuda()
print(net(x))

# case: a name that nothing binds stays below its condition
import torch
from torch import nn


def main(batches):
    net = nn.Linear(3, 2)
    net = net.cuda()
    for x in batches:
        # size = torch.ones(3)
        if torch.cuda.is_available():
            size = size.cuda()
            x = x.cuda()
        if torch.cuda.is_available():
            x = x.cuda()
        print(net(x))


main([torch.zeros(2, 3)])

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main(batches):
    net = nn.Linear(3, 2)
    net = net.to(device)
    for x in batches:
        # size = torch.ones(3)
        if torch.cuda.is_available():
            size = size.cuda()
            x = x.cuda()
        print(net(x))


main([torch.zeros(2, 3)])

# case: what is there with CUDA only is moved already
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
if torch.cuda.is_available():
    extra = torch.ones(2, 3, device=device)
if torch.cuda.is_available():
    extra = extra.to(device)
    print(net(extra))

# case: a setting of cuDNN is no move
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
if torch.cuda.is_available():
    torch.backends.cudnn.benchmark = True
print(net(torch.zeros(2, 3, device=device)))

# case: a window that is shown with CUDA only
import torch


class Window:
    def cuda(self):
        return self


if torch.cuda.is_available():
    window = Window()
if torch.cuda.is_available():
    window = window.cuda()
print(torch.zeros(2))

# case: a flag of a function is honoured for each of its values
import torch
from torch import nn


def handle_inputs(inputs, use_cuda):
    if use_cuda:
        inputs = inputs.cuda()
    return inputs


def train(use_cuda=torch.cuda.is_available()):
    net = nn.Linear(3, 1)
    if use_cuda:
        net = net.cuda()
    for _ in range(2):
        x = torch.ones(2, 3)
        if use_cuda:
            x = x.cuda()
        print(net(x).sum().item())


if __name__ == "__main__":
    train()
    print(handle_inputs(torch.ones(3), torch.cuda.is_available()).sum().item())

# output
import torch
from torch import nn


def handle_inputs(inputs, use_cuda):
    device = torch.device("cuda" if use_cuda else "cpu")
    inputs = inputs.to(device)
    return inputs


def train(use_cuda=torch.cuda.is_available()):
    device = torch.device("cuda" if use_cuda else "cpu")
    net = nn.Linear(3, 1)
    net = net.to(device)
    for _ in range(2):
        x = torch.ones(2, 3, device=device)
        print(net(x).sum().item())


if __name__ == "__main__":
    train()
    print(handle_inputs(torch.ones(3), torch.cuda.is_available()).sum().item())

# case: a function that is given something that is on the device anyway leaves it there
# reports: DFX201
import torch
from torch import nn


def score(net, x, use_cuda=False):
    if use_cuda:
        x = x.cuda()
    return net(x)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(3, 1).to(device)
    print(score(net, torch.ones(2, 3, device=device)).sum().item())

# case: two options, and no device that obeys both
# reports: DFX201
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
parser.add_argument("--gpu", action="store_true")
args = parser.parse_args()
net = nn.Linear(3, 1)
x = torch.ones(2, 3)
if args.cuda:
    net.cuda()
if args.gpu:
    x = x.cuda()
print(net(x).sum().item())

# case: an option that a function sets anew is asked each time
# reports: DFX201
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()


def fall_back():
    args.cuda = False


net = nn.Linear(3, 1)
if args.cuda:
    net.cuda()
fall_back()
x = torch.ones(2, 3)
if args.cuda:
    x = x.cuda()
print(x.sum().item(), net)

# case: a device that was chosen by the same condition
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
args.cuda = args.cuda and torch.cuda.is_available()
place = torch.device("cuda" if args.cuda else "cpu")
net = nn.Linear(3, 1).to(place)
x = torch.ones(2, 3)
if args.cuda:
    x = x.cuda()
print(net(x).sum().item())

# output
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
args.cuda = args.cuda and torch.cuda.is_available()
place = torch.device("cuda" if args.cuda else "cpu")
net = nn.Linear(3, 1).to(place)
x = torch.ones(2, 3, device=place)
print(net(x).sum().item())

# case: a device that was chosen by another condition
# reports: DFX201
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
place = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1)
x = torch.ones(2, 3)
if args.cuda:
    net = net.cuda()
    x = x.cuda()
print(net(x).sum().item(), torch.ones(1, device=place).item())

# case: an option of the object is asked once, where the object is made
import torch
from torch import nn


class Trainer:
    def __init__(self, use_cuda):
        self.use_cuda = use_cuda and torch.cuda.is_available()
        self.model = nn.Linear(3, 1)
        if self.use_cuda:
            self.model.cuda()

    def step(self, x):
        if self.use_cuda:
            x = x.cuda()
        return self.model(x)


print(Trainer(True).step(torch.ones(1, 3)).sum().item())

# output
import torch
from torch import nn


class Trainer:
    def __init__(self, use_cuda):
        self.use_cuda = use_cuda and torch.cuda.is_available()
        self.device = torch.device("cuda" if self.use_cuda else "cpu")
        self.model = nn.Linear(3, 1)
        self.model.to(self.device)

    def step(self, x):
        x = x.to(self.device)
        return self.model(x)


print(Trainer(True).step(torch.ones(1, 3)).sum().item())

# case: a library that is told by a flag decides itself where its own things go
import torch


def noises(count, use_cuda):
    for _ in range(count):
        noise = torch.randn(3)
        if use_cuda:
            noise = noise.cuda()
        yield noise

# output
import torch


def noises(count, use_cuda):
    device = torch.device("cuda" if use_cuda and torch.cuda.is_available() else "cpu")
    for _ in range(count):
        noise = torch.randn(3)
        noise = noise.to(device)
        yield noise

# case: what is made above the condition only to be moved
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.rnn = nn.Linear(3, 4), nn.LSTM(4, 4)

    def forward(self, x, y):
        h0 = torch.zeros(1, 1, 4)
        c0 = torch.FloatTensor(1, 1, 4).zero_()
        if torch.cuda.is_available():
            h0, c0 = h0.cuda(), c0.cuda()
        steps = torch.arange(0, 0.4, 0.1)
        if torch.cuda.is_available():
            steps = steps.cuda()
        bias = torch.ones(4)
        if torch.cuda.is_available():
            # for the sum
            bias = bias.cuda()
        weight = torch.ones(4)
        print(weight.sum().item())
        if torch.cuda.is_available():
            weight = weight.cuda()
        out, _ = self.rnn(self.fc(x)[:, None], (h0, c0))
        index = torch.LongTensor(range(out.size(0)))
        if y.is_cuda:
            index = index.cuda()
        return (out[:, 0] * weight + steps + bias)[index, y]


net, x, y = Net(), torch.ones(2, 3), torch.tensor([1, 2])
if torch.cuda.is_available():
    net, x, y = net.cuda(), x.cuda(), y.cuda()
print(net(x, y).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.rnn = nn.Linear(3, 4), nn.LSTM(4, 4)

    def forward(self, x, y):
        h0 = torch.zeros(1, 1, 4, device=x.device)
        c0 = torch.zeros(1, 1, 4, device=x.device)
        steps = torch.arange(0, 0.4, 0.1)
        steps = steps.to(x.device)
        bias = torch.ones(4)
        # for the sum
        bias = bias.to(x.device)
        weight = torch.ones(4)
        print(weight.sum().item())
        weight = weight.to(x.device)
        out, _ = self.rnn(self.fc(x)[:, None], (h0, c0))
        index = torch.arange(out.size(0), device=y.device)
        return (out[:, 0] * weight + steps + bias)[index, y]


net, x, y = Net(), torch.ones(2, 3), torch.tensor([1, 2])
net, x, y = net.to(device), x.to(device), y.to(device)
print(net(x, y).shape)

# case: what is made above a condition that only reads it
import torch

counts = torch.zeros(3)
if torch.cuda.is_available():
    print(torch.cuda.device_count() + counts.sum().item())
print(counts.sum().item())

# case: a flag that nothing asked before, or that is an attribute
import torch

use_cuda = torch.cuda.is_available()


class Options:
    if use_cuda:
        on_gpu = torch.cuda.is_available()


print(torch.ones(2), getattr(Options, "on_gpu", False))

# case: a loss that is made with a weight of its callers stays where they have it
# reports: DFX204
import torch
from torch import nn


class Losses:
    def __init__(self, weight=None, cuda=False):
        self.weight = weight
        self.cuda = cuda

    def entropy(self, logit, target):
        criterion = nn.CrossEntropyLoss(weight=self.weight)
        if self.cuda:
            criterion = criterion.cuda()
        return criterion(logit, target)


def build(weight, cuda):
    return Losses(weight, cuda=cuda)

# case: a function that imports torch itself
def get_state(gpu):
    """Load the model."""
    import torch
    model = torch.hub.load("intel-isl/MiDaS", "MiDaS")
    if gpu:
        model.cuda()
    model.eval()
    return model

# output
def get_state(gpu):
    """Load the model."""
    import torch
    device = torch.device("cuda" if gpu and torch.cuda.is_available() else "cpu")
    model = torch.hub.load("intel-isl/MiDaS", "MiDaS")
    model.to(device)
    model.eval()
    return model

# case: a function that imports torch itself, and more
def get_state(gpu):
    """Load the model."""
    import torch
    from torch import nn
    model = nn.Sequential(torch.hub.load("intel-isl/MiDaS", "MiDaS"))
    if gpu:
        model.cuda()
    model.eval()
    return model

# output
def get_state(gpu):
    """Load the model."""
    import torch
    from torch import nn
    device = torch.device("cuda" if gpu and torch.cuda.is_available() else "cpu")
    model = nn.Sequential(torch.hub.load("intel-isl/MiDaS", "MiDaS"))
    model.to(device)
    model.eval()
    return model

# case: a flag that lives on: the device is built from it
import torch

CUDA = torch.cuda.is_available()
model = torch.nn.Linear(3, 1)
if CUDA:
    model.cuda()
for step in range(2):
    x = torch.randn(4, 3)
    if CUDA:
        x = x.cuda()
    print(model(x).sum().item())
if CUDA:
    torch.cuda.synchronize()

# output
import torch

CUDA = torch.cuda.is_available()
device = torch.device("cuda" if CUDA else "cpu")
model = torch.nn.Linear(3, 1)
model.to(device)
for step in range(2):
    x = torch.randn(4, 3)
    x = x.to(device)
    print(model(x).sum().item())
if CUDA:
    torch.cuda.synchronize()

# case: a flag of a function that lives on: the guards work everywhere as they stand
import torch


def run():
    cuda = torch.cuda.is_available()
    model = torch.nn.Linear(3, 1)
    if cuda:
        model.cuda()
    x = torch.randn(4, 3)
    if cuda:
        x = x.cuda()
    print(model(x).sum().item(), cuda)


run()

# case: a flag that lives on, and is set again
# reports: DFX201
import torch

CUDA = torch.cuda.is_available()
model = torch.nn.Linear(3, 1)
if CUDA:
    model.cuda()
x = torch.randn(4, 3)
if CUDA:
    x = x.cuda()
print(model(x).sum().item(), CUDA)
CUDA = input() == "yes"

# case: a flag that nothing else asks goes with them
import torch

CUDA = torch.cuda.is_available()
model = torch.nn.Linear(3, 1)
if CUDA:
    model.cuda()
x = torch.randn(4, 3)
if CUDA:
    x = x.cuda()
print(model(x).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 1)
model.to(device)
x = torch.randn(4, 3)
x = x.to(device)
print(model(x).sum().item())

# case: one move below a flag that decides more would need the device, too
import torch

cuda = torch.cuda.is_available()
model = torch.nn.Linear(3, 1)
x = torch.randn(4, 3)
if cuda:
    model.cuda()
if cuda:
    torch.cuda.synchronize()
    x = x.cuda()
print(model(x).sum().item())

# case: a function that asks once would ask once
import torch


def to_gpu(x):
    x = x.contiguous()

    if torch.cuda.is_available():
        x = x.cuda(non_blocking=True)
    return x

# case: a function that asks twice asks once
import torch
from torch import nn


def build():
    net, loss = nn.Linear(3, 2), nn.MSELoss()
    if torch.cuda.is_available():
        net.cuda()
    if torch.cuda.is_available():
        loss.cuda()
    return net, loss

# output
import torch
from torch import nn


def build():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net, loss = nn.Linear(3, 2), nn.MSELoss()
    net.to(device)
    loss.to(device)
    return net, loss

# case: a name for the question where a weight is
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, n):
        z = torch.randn(n, 3)
        on_gpu = self.fc.weight.is_cuda
        if on_gpu:
            z = z.cuda()
        return self.fc(z)

# output
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, n):
        z = torch.randn(n, 3)
        z = z.to(self.fc.weight.device)
        return self.fc(z)

# case: a switch in the text of a function
import torch


def test(loader, path):
    assert path
    cuda = True
    net = torch.nn.Linear(3, 2)
    if cuda:
        net = net.cuda()
    for x in loader:
        if cuda:
            x = x.cuda()
        print(net(x))

# output
import torch


def test(loader, path):
    assert path
    cuda = True
    device = torch.device("cuda" if cuda and torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(3, 2)
    net = net.to(device)
    for x in loader:
        x = x.to(device)
        print(net(x))

# case: a switch in the text of a function that decides about something else
import torch


def test(net, loader):
    cuda = torch.cuda.is_available()
    for x in loader:
        if cuda:
            torch.cuda.synchronize()
        print(net(x))

# case: what is not known stays below the same option, and so do the others
# reports: DFX201 DFX204
import argparse

import torch
from torch import nn


def train(model, loader):
    for batch in loader:
        x, y = [part.cuda() for part in batch[:-1]] if cuda else batch[:-1]
        print(model(x).sum() + y.sum())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    cuda = torch.cuda.is_available() and not args.no_cuda
    model = nn.Linear(3, 3)
    if cuda:
        model.cuda()
    weight = torch.ones(3)
    criterion = nn.CrossEntropyLoss(weight.cuda() if cuda else weight)
    train(model, load())

# case: what is not known stays below the question, and so do the others
import torch

from losses import make

net = torch.nn.Linear(3, 1)
loss = make(torch.nn.NLLLoss())
if torch.cuda.is_available():
    loss.cuda()
if torch.cuda.is_available():
    net.cuda()
print(net, loss)

# case: both branches do the same but for the moves
import torch
from torch import nn


class Trainer:
    def __init__(self, gpu):
        self.gpu = gpu
        self.net = nn.Linear(3, 1)
        if self.gpu:
            self.net.cuda()
            self.loss = nn.MSELoss().cuda()
        else:
            self.loss = nn.MSELoss()

    def step(self, x):
        if self.gpu:
            y = torch.ones(3, 1).cuda()
            x = x.cuda()
        else:
            y = torch.ones(3, 1)
            x = x
        return self.loss(self.net(x), y)


print(Trainer(torch.cuda.is_available()).step(torch.ones(3, 3)))

# output
import torch
from torch import nn


class Trainer:
    def __init__(self, gpu):
        self.gpu = gpu
        self.device = torch.device("cuda" if self.gpu else "cpu")
        self.net = nn.Linear(3, 1)
        self.net.to(self.device)
        self.loss = nn.MSELoss().to(self.device)

    def step(self, x):
        y = torch.ones(3, 1, device=self.device)
        x = x.to(self.device)
        return self.loss(self.net(x), y)


print(Trainer(torch.cuda.is_available()).step(torch.ones(3, 3)))

# case: one branch does more than the other
import torch

x = torch.ones(3)
if torch.cuda.is_available():
    print("CUDA")
    y = (x * 2).cuda()
else:
    y = x * 2
print(y.sum())

# case: the branches do the same to other things
import torch

x, z = torch.ones(3), torch.zeros(3)
if torch.cuda.is_available():
    y = x.cuda() * 2
else:
    y = z * 2
print(y.sum())

# case: below an option of the user, and the same without a move
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
net = nn.Linear(3, 1)
if args.cuda:
    net = net.cuda()
for images in DataLoader(torch.ones(8, 3), batch_size=4):
    if args.cuda:
        images = images.cuda().view(-1, 3)
        scale = torch.ones(3).cuda()
    else:
        images = images.view(-1, 3)
        scale = torch.ones(3)
    print(net(images * scale).sum().item())

# output
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if args.cuda and torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1)
net = net.to(device)
for images in DataLoader(torch.ones(8, 3), batch_size=4):
    images = images.to(device).view(-1, 3)
    scale = torch.ones(3, device=device)
    print(net(images * scale).sum().item())

# case: what is moved may be a caller's
# reports: DFX201 DFX201
import torch
from torch import nn


class Gan:
    def __init__(self, args, noise):
        self.gpu_mode = args.gpu_mode
        self.net = nn.Linear(3, 1)
        if self.gpu_mode:
            self.net.cuda()
        if args.keep:
            self.noise = noise

    def sample(self):
        if self.gpu_mode:
            self.noise = self.noise.cuda()
        return self.net(self.noise)

# case: an option that is refused where there is no CUDA, and the CPU named in the other branch
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
opt = parser.parse_args()
cuda = opt.cuda
if cuda and not torch.cuda.is_available():
    raise Exception("No GPU found, please run without --cuda")

model = nn.Linear(3, 1)
x = torch.ones(2, 3)
if cuda:
    model = model.cuda()
    x = x.cuda()
else:
    model = model.cpu()
y = torch.zeros(2, 1)
if opt.cuda:
    y = y.cuda()
print(model(x) + y)

# output
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
opt = parser.parse_args()
cuda = opt.cuda
if cuda and not torch.cuda.is_available():
    raise Exception("No GPU found, please run without --cuda")
device = torch.device("cuda" if opt.cuda else "cpu")

model = nn.Linear(3, 1)
x = torch.ones(2, 3)
model = model.to(device)
x = x.to(device)
y = torch.zeros(2, 1, device=device)
print(model(x) + y)

# case: an option under which alone a module is made asks whether there is one
# reports: DFX201
import argparse
import torch
from torch import nn


def build(params, train):
    src = nn.Embedding(3, 4)
    if params.tgt:
        tgt = nn.Embedding(3, 4)
    else:
        tgt = None
    critic = nn.Linear(4, 1) if train else None
    if params.cuda:
        src.cuda()
        if params.tgt:
            tgt.cuda()
        if train:
            critic.cuda()
    return src, tgt, critic


def run(params):
    src, tgt, critic = build(params, True)
    ids = torch.LongTensor([1, 2])
    if params.cuda:
        ids = ids.cuda()
    print(critic(src(ids)))
    if params.tgt:
        print(tgt(ids))


parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
parser.add_argument("--tgt", default="")
run(parser.parse_args())

# output
import argparse
import torch
from torch import nn


def build(params, train):
    src = nn.Embedding(3, 4)
    if params.tgt:
        tgt = nn.Embedding(3, 4)
    else:
        tgt = None
    critic = nn.Linear(4, 1) if train else None
    if params.cuda:
        src.cuda()
        if params.tgt:
            tgt.cuda()
        if train:
            critic.cuda()
    return src, tgt, critic


def run(params):
    device = torch.device("cuda" if params.cuda and torch.cuda.is_available() else "cpu")
    src, tgt, critic = build(params, True)
    ids = torch.LongTensor([1, 2])
    ids = ids.to(device)
    print(critic(src(ids)))
    if params.tgt:
        print(tgt(ids))


parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
parser.add_argument("--tgt", default="")
run(parser.parse_args())

# case: an option that the object was given, and that several methods ask
import argparse

import torch
from torch import nn


class Trainer:
    def __init__(self, args):
        self.args = args
        self.model = nn.Linear(3, 1)
        self.loss = nn.MSELoss()
        if args.cuda:
            self.model = self.model.cuda()

    def train(self, batches):
        for x, y in batches:
            if self.args.cuda:
                x, y = x.cuda(), y.cuda()
            self.loss(self.model(x), y).backward()

    def validate(self, batches):
        total = 0.0
        for x, y in batches:
            if self.args.cuda:
                x, y = x.cuda(), y.cuda()
            total += self.loss(self.model(x), y).item()
        return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    batches = [(torch.ones(2, 3), torch.ones(2, 1))]
    trainer = Trainer(args)
    trainer.train(batches)
    print(trainer.validate(batches))


if __name__ == "__main__":
    main()

# output
import argparse

import torch
from torch import nn


class Trainer:
    def __init__(self, args):
        self.device = torch.device("cuda" if args.cuda else "cpu")
        self.args = args
        self.model = nn.Linear(3, 1)
        self.loss = nn.MSELoss()
        self.model = self.model.to(self.device)

    def train(self, batches):
        for x, y in batches:
            x, y = x.to(self.device), y.to(self.device)
            self.loss(self.model(x), y).backward()

    def validate(self, batches):
        total = 0.0
        for x, y in batches:
            x, y = x.to(self.device), y.to(self.device)
            total += self.loss(self.model(x), y).item()
        return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    batches = [(torch.ones(2, 3), torch.ones(2, 1))]
    trainer = Trainer(args)
    trainer.train(batches)
    print(trainer.validate(batches))


if __name__ == "__main__":
    main()

# case: where it is not clear that the option is set by then, each method asks
import argparse

import torch
from torch import nn


class Trainer:
    def __init__(self, args):
        self.args = args
        self.model = nn.Linear(3, 1)
        self.loss = nn.MSELoss()
        if args.cuda:
            self.model = self.model.cuda()

    def train(self, batches):
        for x, y in batches:
            if self.args.cuda:
                x, y = x.cuda(), y.cuda()
            self.loss(self.model(x), y).backward()

    def validate(self, batches):
        total = 0.0
        for x, y in batches:
            if self.args.cuda:
                x, y = x.cuda(), y.cuda()
            total += self.loss(self.model(x), y).item()
        return total


def choose(args):
    args.cuda = not args.no_cuda and torch.cuda.is_available()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    choose(args)
    batches = [(torch.ones(2, 3), torch.ones(2, 1))]
    trainer = Trainer(args)
    trainer.train(batches)
    print(trainer.validate(batches))


if __name__ == "__main__":
    main()

# output
import argparse

import torch
from torch import nn


class Trainer:
    def __init__(self, args):
        device = torch.device("cuda" if args.cuda else "cpu")
        self.args = args
        self.model = nn.Linear(3, 1)
        self.loss = nn.MSELoss()
        self.model = self.model.to(device)

    def train(self, batches):
        device = torch.device("cuda" if self.args.cuda else "cpu")
        for x, y in batches:
            x, y = x.to(device), y.to(device)
            self.loss(self.model(x), y).backward()

    def validate(self, batches):
        device = torch.device("cuda" if self.args.cuda else "cpu")
        total = 0.0
        for x, y in batches:
            x, y = x.to(device), y.to(device)
            total += self.loss(self.model(x), y).item()
        return total


def choose(args):
    args.cuda = not args.no_cuda and torch.cuda.is_available()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    choose(args)
    batches = [(torch.ones(2, 3), torch.ones(2, 1))]
    trainer = Trainer(args)
    trainer.train(batches)
    print(trainer.validate(batches))


if __name__ == "__main__":
    main()

# case: both branches move, so the condition decides about something else
# reports: DFX201
import torch
from unseen import processor


def features(model, x, is_image=False):
    if is_image:
        batch = processor(images=x)
        batch["pixels"] = batch["pixels"].cuda()
    else:
        batch = processor(text=x)
        batch["ids"] = batch["ids"].cuda()
    return model(**batch, mask=torch.ones(1))

# case: a flag with a text that documents it
import torch

GPU = False
"""bool: Whether to use a GPU."""

LAYERS = 2
"""int: The number of layers."""

net = torch.nn.Linear(3, LAYERS)
if GPU:
    net.cuda()
print(net(torch.ones(1, 3).cuda() if GPU else torch.ones(1, 3)).shape)

# output
import torch

GPU = False
"""bool: Whether to use a GPU."""
device = torch.device("cuda" if GPU and torch.cuda.is_available() else "cpu")

LAYERS = 2
"""int: The number of layers."""

net = torch.nn.Linear(3, LAYERS)
net.to(device)
print(net(torch.ones(1, 3, device=device)).shape)

# case: a text that documents a flag which decides about nothing else
import torch

GPU = False
"""bool: Whether to use a GPU."""

print(torch.ones(1, 3).sum().item(), GPU)

# case: an option that also says which GPUs there are
import argparse
import os

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--use_gpu", action="store_true")
parser.add_argument("--gpu_id", default="0")
opt = parser.parse_args()

if opt.use_gpu:
    os.environ["CUDA_VISIBLE_DEVICES"] = opt.gpu_id


def main():
    model = nn.Linear(2, 1)
    if opt.use_gpu:
        model = model.cuda()
    y = torch.ones(3, 2)
    if opt.use_gpu:
        y = y.cuda()
    print(model(y).shape)


if __name__ == "__main__":
    main()

# output
import argparse
import os

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--use_gpu", action="store_true")
parser.add_argument("--gpu_id", default="0")
opt = parser.parse_args()

if opt.use_gpu:
    os.environ["CUDA_VISIBLE_DEVICES"] = opt.gpu_id
device = torch.device("cuda" if opt.use_gpu and torch.cuda.is_available() else "cpu")


def main():
    model = nn.Linear(2, 1)
    model = model.to(device)
    y = torch.ones(3, 2, device=device)
    print(model(y).shape)


if __name__ == "__main__":
    main()

# case: an option, and a main block that says which GPUs there are
# reports: DFX201
import argparse
import os

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--use_gpu", action="store_true")
parser.add_argument("--gpu_id", default="0")
opt = parser.parse_args()


def main():
    model = nn.Linear(2, 1)
    if opt.use_gpu:
        model = model.cuda()
    y = torch.ones(3, 2)
    if opt.use_gpu:
        y = y.cuda()
    print(model(y).shape)


if __name__ == "__main__":
    if opt.use_gpu:
        os.environ["CUDA_VISIBLE_DEVICES"] = opt.gpu_id
    main()

# case: an option that a method keeps before others read it
import torch
from torch import nn


class Builder:
    def __init__(self, data):
        self.data = data

    def build(self, size, cuda):
        self.net = nn.Linear(size, 2)
        self.available = cuda and torch.cuda.is_available()
        if self.available:
            self.net.cuda()

    def train(self):
        for x in self.data:
            if self.available:
                out = self.net(x.cuda())
            else:
                out = self.net(x)
            print(out.shape)

    def validate(self):
        for x in self.data:
            if self.available:
                out = self.net(x.cuda())
            else:
                out = self.net(x)
            print(out.shape)


builder = Builder([torch.ones(2, 3)])
builder.build(3, True)
builder.train()
builder.validate()

# output
import torch
from torch import nn


class Builder:
    def __init__(self, data):
        self.data = data

    def build(self, size, cuda):
        self.net = nn.Linear(size, 2)
        self.available = cuda and torch.cuda.is_available()
        self.device = torch.device("cuda" if self.available else "cpu")
        self.net.to(self.device)

    def train(self):
        for x in self.data:
            out = self.net(x.to(self.device))
            print(out.shape)

    def validate(self):
        for x in self.data:
            out = self.net(x.to(self.device))
            print(out.shape)


builder = Builder([torch.ones(2, 3)])
builder.build(3, True)
builder.train()
builder.validate()

# case: the answer of the machine that a method keeps, and that decides about more
import torch
from torch import nn


class Builder:
    def __init__(self, data):
        self.data = data

    def build(self, size):
        self.net = nn.Linear(size, 2)
        self.available = torch.cuda.is_available()
        if self.available:
            torch.cuda.manual_seed_all(0)
            self.net.cuda()

    def train(self):
        for x in self.data:
            if self.available:
                out = self.net(x.cuda())
            else:
                out = self.net(x)
            print(out.shape)

    def validate(self):
        for x in self.data:
            if self.available:
                out = self.net(x.cuda())
            else:
                out = self.net(x)
            print(out.shape)


builder = Builder([torch.ones(2, 3)])
builder.build(3)
builder.train()
builder.validate()

# case: a list whose items are moved one by one, and the list as it is
import argparse

import torch
from torch import nn
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--disable-cuda", action="store_true")
args = parser.parse_args()
args.cuda = not args.disable_cuda and torch.cuda.is_available()


def collate(samples):
    return torch.stack([s[0] for s in samples]), [s[1] for s in samples]


model = nn.Linear(3, 2)
if args.cuda:
    model.cuda()
data = TensorDataset(torch.ones(4, 3), torch.zeros(4).long())
for batch in DataLoader(data, batch_size=2, collate_fn=collate):
    if args.cuda:
        found = (Variable(batch[0].cuda(non_blocking=True)), [x.cuda() for x in batch[1]])
    else:
        found = (Variable(batch[0]), batch[1])
    print(model(found[0]).shape, len(found[1]))

# output
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--disable-cuda", action="store_true")
args = parser.parse_args()
args.cuda = not args.disable_cuda and torch.cuda.is_available()
device = torch.device("cuda" if args.cuda else "cpu")


def collate(samples):
    return torch.stack([s[0] for s in samples]), [s[1] for s in samples]


model = nn.Linear(3, 2)
model.to(device)
data = TensorDataset(torch.ones(4, 3), torch.zeros(4).long())
for batch in DataLoader(data, batch_size=2, collate_fn=collate):
    found = (batch[0].to(device, non_blocking=True), [x.to(device) for x in batch[1]])
    print(model(found[0]).shape, len(found[1]))

# case: a list of which some items are moved, and the list as it is
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

use_cuda = torch.cuda.is_available()


def collate(samples):
    return torch.stack([s[0] for s in samples]), [s[1] for s in samples]


model = nn.Linear(3, 2)
if use_cuda:
    model.cuda()
data = TensorDataset(torch.ones(4, 3), torch.zeros(4).long())
for batch in DataLoader(data, batch_size=2, collate_fn=collate):
    if use_cuda:
        found = (batch[0].cuda(), [x.cuda() for x in batch[1] if x.numel()])
    else:
        found = (batch[0], batch[1])
    print(model(found[0]).shape, len(found[1]))

# case: moves under the same question, beside the result of a module
import torch
from torch import nn

net = nn.Linear(2, 1)
other = nn.Linear(2, 1)
if torch.cuda.is_available():
    net = net.cuda()
    other = other.cuda()


def evaluate(batches, use_other=False):
    for x, y in batches:
        x = torch.tensor(x).float()
        if torch.cuda.is_available():
            x = x.cuda()
        if use_other:
            out = other(x)
        else:
            out = net(x)
        y = torch.tensor(y).float()
        if torch.cuda.is_available():
            y = y.cuda()
        print((out - y).mean().shape)


evaluate([([[1, 2]], [[1]])])

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(2, 1)
other = nn.Linear(2, 1)
net = net.to(device)
other = other.to(device)


def evaluate(batches, use_other=False):
    for x, y in batches:
        x = torch.tensor(x).float()
        x = x.to(device)
        if use_other:
            out = other(x)
        else:
            out = net(x)
        y = torch.tensor(y).float()
        y = y.to(device)
        print((out - y).mean().shape)


evaluate([([[1, 2]], [[1]])])

# case: the question alone
import torch

if torch.cuda.is_available():
    print("CUDA is there")

# case: a flag that is True or False, and that nothing asks any more
import torch
from torch import nn

USE_CUDA = True if torch.cuda.is_available() else False

net = nn.Linear(2, 1)
x = torch.ones(3, 2)
if USE_CUDA:
    net = net.cuda()
if USE_CUDA:
    x = x.cuda()
print(net(x).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(2, 1)
x = torch.ones(3, 2)
net = net.to(device)
x = x.to(device)
print(net(x).shape)

# case: a flag that is True or False, and that is printed
import torch
from torch import nn

USE_CUDA = True if torch.cuda.is_available() else False

net = nn.Linear(2, 1)
if USE_CUDA:
    net = net.cuda()
    print("on the GPU", USE_CUDA)
x = torch.ones(3, 2)
if USE_CUDA:
    x = x.cuda()
print(net(x).shape)

# case: an option that a function sets in options of its own
import argparse

import torch


def get_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    return args


args = get_options()
if args.cuda:
    torch.cuda.manual_seed(0)


def main():
    net = torch.nn.Linear(3, 1)
    x = torch.ones(4, 3)
    if args.cuda:
        net.cuda()
        x = x.cuda()
    print(net(x).sum().item())


main()

# output
import argparse

import torch


def get_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-cuda", action="store_true")
    args = parser.parse_args()
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    return args


args = get_options()
device = torch.device("cuda" if args.cuda else "cpu")
if args.cuda:
    torch.cuda.manual_seed(0)


def main():
    net = torch.nn.Linear(3, 1)
    x = torch.ones(4, 3)
    net.to(device)
    x = x.to(device)
    print(net(x).sum().item())


main()

# case: an option that a function sets anew
# reports: DFX201
import argparse

import torch


def choose(args):
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    return args


parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = choose(parser.parse_args())


def main():
    choose(args)
    net = torch.nn.Linear(3, 1)
    x = torch.ones(4, 3)
    if args.cuda:
        net.cuda()
        x = x.cuda()
    print(net(x).sum().item())


main()

# case: a condition that returns what is moved, and behind it the same
import torch


def to_categorical(y, count):
    found = torch.eye(count)[y.cpu().numpy(),]
    if y.is_cuda:
        return found.cuda()
    return found


def scale(x, y):
    if x.is_cuda:
        y = y.cuda()
        return x * y
    return x * y

# output
import torch


def to_categorical(y, count):
    found = torch.eye(count)[y.cpu().numpy(),]
    return found.to(y.device)


def scale(x, y):
    y = y.to(x.device)
    return x * y

# case: a condition that works, and returns what is moved
import torch


def to_device(x):
    if torch.cuda.is_available():
        return x.cuda()
    return x

# case: variables that say that they learn nothing
import torch
from torch.autograd import Variable

net = torch.nn.Linear(3, 1)
if torch.cuda.is_available():
    net.cuda()
for inputs, labels in [(torch.ones(2, 3), torch.ones(2, 1))]:
    if torch.cuda.is_available():
        x, y = Variable(inputs.cuda(), requires_grad=False), Variable(labels.cuda())
    else:
        x, y = Variable(inputs, requires_grad=False), Variable(labels)
    print((net(x) - y).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 1)
net.to(device)
for inputs, labels in [(torch.ones(2, 3), torch.ones(2, 1))]:
    x, y = inputs.to(device), labels.to(device)
    print((net(x) - y).sum().item())

# case: a comment says something of the other return
# reports: DFX204
import torch


def to_device(x, y):
    if x.is_cuda:
        return y.cuda()
    # there is no other accelerator
    return y

# case: what the condition moves is there already
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
for data in [torch.ones(4, 3)]:
    x = data.to(device)
    y = x * 2
    if torch.cuda.is_available():
        y = y.cuda()
    print(net(y).sum().item())
    if torch.cuda.is_available():
        y = y.cuda()
        data = data.cuda()
    print((y + data).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
for data in [torch.ones(4, 3)]:
    x = data.to(device)
    y = x * 2
    print(net(y).sum().item())
    y = y.to(device)
    data = data.to(device)
    print((y + data).sum().item())

# case: a condition that moves nothing that is there already, and says so
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
x = torch.ones(4, 3)
if torch.cuda.is_available():
    x = x.to(device)
print(net(x).sum().item())
