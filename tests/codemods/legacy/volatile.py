# case: an evaluation loop
import torch
import torch.nn.functional as F
from torch.autograd import Variable

model = torch.nn.Linear(3, 2).cuda()
model.eval()
total = 0.0
for _ in range(2):
    images, labels = torch.ones(4, 3), torch.zeros(4).long()
    images, labels = Variable(images.cuda(), volatile=True), Variable(labels.cuda())
    outputs = model(images)
    total += F.cross_entropy(outputs, labels).data[0]
    predicted = outputs.data.max(1)[1]
print("%.4f" % total, predicted.sum().item())

# output
import torch
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 2).to(device)
model.eval()
total = 0.0
for _ in range(2):
    images, labels = torch.ones(4, 3), torch.zeros(4).long()
    images, labels = images.to(device), labels.to(device)
    with torch.no_grad():
        outputs = model(images)
    total += F.cross_entropy(outputs, labels).item()
    predicted = outputs.data.max(1)[1]
print("%.4f" % total, predicted.sum().item())

# case: two modules, one after the other, and what stands between them
import torch
from torch import autograd

net, critic = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)


def score(noise):
    noise = autograd.Variable(noise, volatile=True)
    fake = net(noise)
    fake = fake.view(-1, 3)
    return critic(fake).data.numpy()


print(score(torch.ones(2, 3)).shape, autograd.grad)

# output
import torch
from torch import autograd

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net, critic = torch.nn.Linear(3, 3).to(device), torch.nn.Linear(3, 1).to(device)


def score(noise):
    with torch.no_grad():
        fake = net(noise)
        fake = fake.view(-1, 3)
        return critic(fake).data.cpu().numpy()


print(score(torch.ones(2, 3, device=device)).shape, autograd.grad)

# case: what is done with the numbers needs no gradients, anyway
import torch
from torch.autograd import Variable

net = torch.nn.Linear(3, 1)


def save(rows):
    print(rows.shape)


def sample(frame, writer):
    noise = Variable(torch.ones(2, 3), volatile=True)
    samples = net(noise)
    save(samples)
    samples = samples.cpu().data.numpy()
    writer.write(frame, samples)


print(sample)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 1).to(device)


def save(rows):
    print(rows.shape)


def sample(frame, writer):
    noise = torch.ones(2, 3, device=device)
    with torch.no_grad():
        samples = net(noise)
    save(samples)
    samples = samples.cpu().data.numpy()
    writer.write(frame, samples)


print(sample)

# case: a training step in between
import torch
from torch.autograd import Variable

net, critic = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)
noise = torch.ones(2, 3)
noisev = Variable(noise, volatile=True)  # the generator does not learn here
fake = Variable(net(noisev).data)
loss = critic(fake).mean()
loss.backward()
print(loss.item(), net.weight.grad is None)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net, critic = torch.nn.Linear(3, 3).to(device), torch.nn.Linear(3, 1).to(device)
noise = torch.ones(2, 3, device=device)
noisev = noise  # the generator does not learn here
with torch.no_grad():
    fake = net(noisev).data
loss = critic(fake).mean()
loss.backward()
print(loss.item(), net.weight.grad is None)

# case: under a condition
import torch
from torch.autograd import Variable

net = torch.nn.Linear(3, 3)


def run(x, train):
    x = Variable(x, volatile=not train)
    y = net(x)
    return y.sum()


print(run(torch.ones(2, 3), True).requires_grad, run(torch.ones(2, 3), False).requires_grad)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 3).to(device)


def run(x, train):
    with torch.set_grad_enabled(train):
        y = net(x)
    return y.sum()


print(run(torch.ones(2, 3, device=device), True).requires_grad, run(torch.ones(2, 3, device=device), False).requires_grad)

# case: nothing that learns, and gradients that are off already
import torch
from torch.autograd import Variable

net = torch.nn.Linear(3, 3)
mask = Variable(torch.ones(3), volatile=True) * 2
with torch.no_grad():
    x = Variable(torch.ones(2, 3), volatile=True)
    print(net(x).sum().item())
print(mask.sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 3).to(device)
mask = torch.ones(3) * 2
with torch.no_grad():
    x = torch.ones(2, 3, device=device)
    print(net(x).sum().item())
print(mask.sum().item())

# case: it is returned
# reports: DFX602
import torch
from torch.autograd import Variable


def batch(source, evaluation):
    data = Variable(source[:2], volatile=evaluation)
    return data


print(batch(torch.ones(3), True))

# case: it is kept
# reports: DFX602
import torch
from torch.autograd import Variable


class Trainer:
    def set_input(self, x):
        self.x = Variable(x, volatile=True)


Trainer().set_input(torch.ones(2))

# case: the head of a loop computes with it
# reports: DFX602
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 3).to(device)
x = Variable(torch.ones(2, 3).to(device), volatile=True)
for row in net(x):
    print(row.sum().item())

# case: a function inside
# reports: DFX602
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 3).to(device)
x = Variable(torch.ones(2, 3).to(device), volatile=True)


def later():
    return net(x)


print(later().sum().item())

# case: another function takes it
import torch


def make_noise(shape, volatile=False):
    return torch.ones(shape).requires_grad_(not volatile)


print(make_noise((2,), volatile=True))

# case: another library
import ctypes

import torch

print(ctypes.c_int(3), torch.ones(1).volatile)

# case: it was switched off without
import torch

net = torch.nn.Linear(3, 1)
net.eval()
print(net.weight.detach().sum().item() < 9)

# case: the same names in training, before and after it in one script
import torch
from torch.autograd import Variable

net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
data = [torch.ones(2, 3), torch.zeros(2, 3)]
for epoch in range(2):
    for x in data:
        x = Variable(x)
        loss = net(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for x in data:
        x = Variable(x, volatile=True)
        y = net(x)
    losses = sum(net(x).mean() for x in data)
    losses.backward()
    print("%.4f" % y.mean())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 1).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
data = [torch.ones(2, 3, device=device), torch.zeros(2, 3, device=device)]
for epoch in range(2):
    for x in data:
        loss = net(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for x in data:
        with torch.no_grad():
            y = net(x)
    losses = sum(net(x).mean() for x in data)
    losses.backward()
    print("%.4f" % y.mean())

# case: volatile on some ways only
# reports: DFX602
from torch.autograd import Variable


def run(net, x):
    y = x
    if len(x) > 3:
        y = Variable(x, volatile=True)
    return net(y)


# case: in a loop, at first not
# reports: DFX602
from torch.autograd import Variable


def run(net, x):
    y = x
    for _ in range(2):
        print(net(y))
        y = Variable(x, volatile=True)


# case: on one way or the other
# reports: DFX602
from torch.autograd import Variable


def run(net, x, learns):
    if learns:
        y = x
    else:
        y = Variable(x, volatile=True)
    return net(y)

# case: a function inside uses it whenever it is called
# reports: DFX602
from torch.autograd import Variable


def run(net, x):
    def score():
        return net(y)

    y = Variable(x, volatile=True)
    return score()
