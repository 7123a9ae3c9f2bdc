
# case: a timer binds a global
import threading

import torch
from torch import nn

net = nn.Linear(2, 2)
h = torch.zeros(2)


def tick():
    global h
    h = net(h)


t = threading.Timer(0, tick)
t.start()
t.join()
print((h + torch.ones(2)).shape)

# output
import threading

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(2, 2).to(device)
h = torch.zeros(2, device=device)


def tick():
    global h
    h = net(h)


t = threading.Timer(0, tick)
t.start()
t.join()
print((h + torch.ones(2, device=device)).shape)

# case: what is substituted is computed by a function that binds a global
import re

import torch
from torch import nn

net = nn.Linear(2, 2)
h = torch.zeros(2)


def sub(m):
    global h
    h = net(h)
    return ""


re.sub("a", sub, "aa")
print((h + torch.ones(2)).shape)

# output
import re

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(2, 2).to(device)
h = torch.zeros(2, device=device)


def sub(m):
    global h
    h = net(h)
    return ""


re.sub("a", sub, "aa")
print((h + torch.ones(2, device=device)).shape)

# case: a thread of a class of its own binds a global
import threading

import torch
from torch import nn

net = nn.Linear(2, 2)
h = torch.zeros(2)


class Worker(threading.Thread):
    def run(self):
        global h
        h = net(h)


t = Worker()
t.start()
t.join()
print((h + torch.ones(2)).shape)

# output
import threading

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(2, 2).to(device)
h = torch.zeros(2, device=device)


class Worker(threading.Thread):
    def run(self):
        global h
        h = net(h)


t = Worker()
t.start()
t.join()
print((h + torch.ones(2, device=device)).shape)

# case: a thread of a class of its own keeps its result
import threading

import torch
from torch import nn


class Worker(threading.Thread):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.out = None

    def run(self):
        self.out = self.net(torch.ones(2))


w = Worker(nn.Linear(2, 2))
w.start()
w.join()
print((w.out + torch.ones(2)).shape)

# output
import threading

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Worker(threading.Thread):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.out = None

    def run(self):
        self.out = self.net(torch.ones(2, device=device))


w = Worker(nn.Linear(2, 2).to(device))
w.start()
w.join()
print((w.out + torch.ones(2, device=device)).shape)

# case: a handler of a signal binds a flag
import signal

import torch
from torch import nn

stop = False


def handler(signum, frame):
    global stop
    stop = True


signal.signal(signal.SIGTERM, handler)
net = nn.Linear(2, 2)
for _ in range(2):
    if stop:
        break
    print(net(torch.ones(2)).shape)

# output
import signal

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

stop = False


def handler(signum, frame):
    global stop
    stop = True


signal.signal(signal.SIGTERM, handler)
net = nn.Linear(2, 2).to(device)
for _ in range(2):
    if stop:
        break
    print(net(torch.ones(2, device=device)).shape)

# case: nothing that a timer computes needs an accelerator
import threading

import torch

h = torch.zeros(2)


def tick():
    global h
    h = h + 1


t = threading.Timer(0, tick)
t.start()
t.join()
print((h + torch.ones(2)).shape)

# case: a thread has methods that are given tensors
# reports: DFX101 DFX103
import threading

import torch
from torch import nn

net = nn.Linear(2, 2)
h = torch.zeros(2)


class Worker(threading.Thread):
    def run(self):
        self.step(torch.ones(2))

    def step(self, x):
        print((net(x) + h).shape)


w = Worker()
w.start()
w.join()

# case: a nonlocal name that another function sets
import torch
from torch import nn
torch.manual_seed(0)
def make(n):
    mean = torch.zeros(n)
    def update(x):
        nonlocal mean
        mean = mean + x
        return mean
    def reset():
        nonlocal mean
        mean = torch.zeros(n)
    return update, reset
net = nn.Linear(3, 2)
up, reset = make(2)
print(up(net(torch.ones(3))).sum().item())
reset()
print(up(net(torch.ones(3))).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
def make(n):
    mean = torch.zeros(n, device=device)
    def update(x):
        nonlocal mean
        mean = mean + x
        return mean
    def reset():
        nonlocal mean
        mean = torch.zeros(n, device=device)
    return update, reset
net = nn.Linear(3, 2).to(device)
up, reset = make(2)
print(up(net(torch.ones(3, device=device))).sum().item())
reset()
print(up(net(torch.ones(3, device=device))).sum().item())

# case: a thread hands gradients to a shared model
import threading
import torch
from torch import nn

def train(shared, opt):
    model = nn.Linear(3, 1)
    model.load_state_dict(shared.state_dict())
    (model(torch.randn(5, 3)) ** 2).mean().backward()
    for p, sp in zip(model.parameters(), shared.parameters()):
        sp._grad = p.grad
    opt.step()

shared = nn.Linear(3, 1)
thread = threading.Thread(target=train, args=(shared, torch.optim.SGD(shared.parameters(), 0.1)))
thread.start()
thread.join()
print(shared.weight.sum().item())

# output
import threading
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def train(shared, opt):
    model = nn.Linear(3, 1).to(device)
    model.load_state_dict(shared.state_dict())
    (model(torch.randn(5, 3, device=device)) ** 2).mean().backward()
    for p, sp in zip(model.parameters(), shared.parameters()):
        sp._grad = p.grad
    opt.step()

shared = nn.Linear(3, 1).to(device)
thread = threading.Thread(target=train, args=(shared, torch.optim.SGD(shared.parameters(), 0.1)))
thread.start()
thread.join()
print(shared.weight.sum().item())
