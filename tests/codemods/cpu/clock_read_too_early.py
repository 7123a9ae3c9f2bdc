# case: a model on the device, called between two readings, in a loop, and in a function
# reports: DFX406 DFX406 DFX406
import datetime
import time
from timeit import default_timer as now

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))

    def forward(self, x):
        return self.layers(x).relu() * 2


def seconds(function, x, turns):
    begin = now()
    for _ in range(turns):
        function(x)
    end = now()
    return (end - begin) / turns


model = Net().to(device)
x = torch.ones(5, 3, device=device)
torch.cuda.synchronize() if torch.cuda.is_available() else None
start = time.perf_counter()
y = model(x)
fast = time.perf_counter() - start < 100
took = seconds(model, x, 3) < 100
first = datetime.datetime.now()
y = torch.mm(x, x.t())
print(fast, took, (datetime.datetime.now() - first).total_seconds() < 100)

# case: a step of training that nothing waits for
# reports: DFX406
import time

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step(x):
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


x = torch.ones(2, 3, device=device)
for turn in range(2):
    start = time.time()
    loss = step(x)
    if turn > 0:
        print(time.time() - start < 100)

# case: something waits in between
import time
from contextlib import contextmanager

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
results = []


def wait():
    if torch.cuda.is_available():
        torch.cuda.synchronize()


start = time.time()
y = model(x)
if torch.cuda.is_available():
    torch.cuda.synchronize()
results.append(time.time() - start)

start = time.time()
y = model(x)
wait()
results.append(time.time() - start)

start = time.time()
total = model(x).sum().item()
results.append(time.time() - start)

start = time.time()
host = model(x).cpu()
results.append(time.time() - start)

start = time.time()
if model(x).sum() > 0:
    total += 1
results.append(time.time() - start)

start = time.time()
print(f"{model(x).sum():.2f}")
results.append(time.time() - start)


@contextmanager
def done():
    yield
    wait()


with done():
    start = time.time()
    y = model(x)
results.append(time.time() - start)

start = time.time()
y = x[x > 0]
results.append(time.time() - start)
print(all(seconds < 100 for seconds in results))

# case: a loop that waits in every turn, or now and then
import time

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)

start = time.time()
for x in [torch.ones(2, 3), torch.zeros(2, 3)]:
    x = x.to(device)
    y = model(x)
print(time.time() - start < 100)

x = torch.ones(2, 3, device=device)
start = time.time()
for turn in range(10):
    loss = model(x).pow(2).mean()
    if turn % 5 == 0:
        print(f"{loss.item():.3f}")
print(time.time() - start < 100)

start = time.time()
for turn in range(10):
    loss = model(x).pow(2).mean()
    if turn % 5 == 0:
        print(time.time() - start < 100)
        print(f"{loss.item():.3f}")

# case: nothing on the device in between
import time

import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
y = model(x)
start = time.time()
data = [float(n) for n in np.arange(3)]
shape = x.shape[0] * y.size(1)
kept = torch.ones(3) * 2
print(time.time() - start < 100, data, shape, kept.sum().item())
print(y.sum().item() < 100)

# case: code that was not seen may wait
import time

import torch
from elsewhere import evaluate
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
start = time.time()
y = model(x)
evaluate(model)
print(time.time() - start)


def measured(function, x):
    start = time.time()
    function(x)
    return time.time() - start

# case: no clock, and a clock of another kind
import time

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)


class Watch:
    def time(self):
        return 1.0


watch = Watch()
start = watch.time()
y = model(x)
print(watch.time() - start)
start = time.process_time()
y = model(x)
print(time.process_time() - start < 100)

# case: models of torchvision: those that find objects look for them on the host
# reports: DFX406
import time

import torch
import torchvision

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
classifier = torchvision.models.resnet18().to(device)
finder = torchvision.models.detection.ssd300_vgg16().to(device)
x = torch.randn(1, 3, 64, 64, device=device)
start = time.time()
classifier(x)
print(time.time() - start)
start = time.time()
finder([x[0]])
print(time.time() - start)
