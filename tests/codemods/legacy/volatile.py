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

# case: what is inside `DataParallel` was not seen
import torch
from torch.autograd import Variable

import models

net = torch.nn.DataParallel(models.__dict__["small"]())
for inputs in models.batches():
    inputs = Variable(inputs, volatile=True)
    outputs = net(inputs)
    print(outputs.max())

# output
import torch

import models

net = torch.nn.DataParallel(models.__dict__["small"]())
for inputs in models.batches():
    with torch.no_grad():
        outputs = net(inputs)
    print(outputs.max())

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
# the generator does not learn here
with torch.no_grad():
    fake = net(noise).data
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


print(run(torch.ones(2, 3), True).item(), run(torch.ones(2, 3), False).item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 3).to(device)


def run(x, train):
    with torch.set_grad_enabled(train):
        y = net(x)
    return y.sum()


print(run(torch.ones(2, 3, device=device), True).item(), run(torch.ones(2, 3, device=device), False).item())

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

# case: it is returned, by a function whose calls are seen
import torch
from torch.autograd import Variable

net = torch.nn.Linear(3, 3)


def batch(source, evaluation=False):
    data = Variable(source[:2], volatile=evaluation)
    target = Variable(source[2:])
    return data, target


def evaluate(source, hidden):
    for _ in range(2):
        data, target = batch(source, evaluation=True)
        output = net(data + hidden)
        hidden = output.data
        learned = net(target).mean()
    return output.sum(), learned


data, target = batch(torch.ones(4, 3))
print(net(data).requires_grad, [x.item() for x in evaluate(torch.ones(4, 3), 0)])

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 3).to(device)


def batch(source, evaluation=False):
    data = source[:2]
    target = source[2:]
    return data, target


def evaluate(source, hidden):
    for _ in range(2):
        data, target = batch(source, evaluation=True)
        with torch.no_grad():
            output = net(data + hidden)
        hidden = output.data
        learned = net(target).mean()
    return output.sum(), learned


data, target = batch(torch.ones(4, 3, device=device))
print(net(data).requires_grad, [x.item() for x in evaluate(torch.ones(4, 3, device=device), 0)])

# case: who computes with it is not known
# reports: DFX602
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 3).to(device)


class Trainer:
    def set_input(self, x):
        self.x = Variable(x, volatile=True)


def head(x):
    x = Variable(x, volatile=True)
    for row in net(x):
        print(row.sum().item())


def some_ways(x):
    y = x
    if len(x) > 3:
        y = Variable(x, volatile=True)
    return net(y)


def at_first_not(x):
    y = x
    for _ in range(2):
        print(net(y))
        y = Variable(x, volatile=True)


def one_or_other(x, learns):
    if learns:
        y = x
    else:
        y = Variable(x, volatile=True)
    return net(y)


def later(x):
    def score():
        return net(y)

    y = Variable(x, volatile=True)
    return score()


def batch(source, evaluation):
    return Variable(source[:2], volatile=evaluation)


for choice in (True, False):
    print(net(batch(torch.ones(3, 3).to(device), choice)).sum().item())

# case: spread arguments
# reports: DFX601
from torch.autograd import Variable


def wrap(*given):
    return Variable(*given, volatile=True)

# case: a class of the program meets what is inside `DataParallel`
import torch

import models


class Variable:
    def __init__(self, x, volatile):
        self.x = x


net = torch.nn.DataParallel(models.__dict__["small"]())
for inputs in models.batches():
    print(net(Variable(inputs, volatile=True)))

# case: a class of the program
import torch


class Variable:
    def __init__(self, data, volatile=False):
        self.data, self.volatile = data, volatile


print(Variable(torch.ones(2), volatile=True).volatile)

# case: a variable of another library
import tensorflow as tf
import torch

print(tf.Variable(torch.ones(2), volatile=True))

# case: a name of the program
import torch

volatile = {"volatile": True}
print(dict(volatile=True) == volatile, torch.ones(1).sum().item())

# case: words
import torch

print("Variable(x, volatile=True)", torch.ones(1).sum().item())  # volatile=True

# case: below no_grad, without
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)


def batch(source, evaluation=False):
    return source[:2].to(device)


with torch.no_grad():
    print(net(batch(torch.ones(3, 3), evaluation=True)).sum().item())

# case: switched afterwards
import torch
from torch.autograd import Variable

x = Variable(torch.ones(2, 3))
x.volatile = True
print(x.sum().item())

# output
import torch

x = torch.ones(2, 3)
print(x.sum().item())

# case: all of a block goes, by the fixes of two rules, or a part of it
import torch
from torch.autograd import Variable

x, y = torch.ones(2, 3), torch.ones(3)
for old in (True, False):
    x = Variable(x)
    y = Variable(y, volatile=True)
    x.volatile = True
for old in (True, False):
    x = Variable(x)
    x = Variable(x)
    print(old)
for old in (True, False):
    x = Variable(x)
    x.volatile = True; y.volatile = True
print((x + y).sum().item())

# output
import torch

x, y = torch.ones(2, 3), torch.ones(3)
for old in (True, False):
    pass
for old in (True, False):
    print(old)
for old in (True, False):
    pass
print((x + y).sum().item())

# case: an attribute of something else
import torch


class Shop:
    volatile = False


shop = Shop()
shop.volatile = True
print(shop.volatile, torch.ones(1).sum().item())

# case: a block of nothing but attributes of something else
import torch


class Shop:
    volatile = False


shops = [Shop(), Shop()]
for shop in shops:
    shop.volatile = True
    shop.volatile = bool(torch.ones(1).sum().item())
print(shops[1].volatile)

# case: an else whose statements all go
import torch
from torch import nn
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
for x, y in [(torch.zeros(2, 3), torch.zeros(2))]:
    if device.type == "cuda":
        x = Variable(x, volatile=True).to(device)
        y = Variable(y, volatile=True).to(device)
    else:
        x = Variable(x, volatile=True)
        y = Variable(y, volatile=True)
    out = net(x)
    print(out, y)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
for x, y in [(torch.zeros(2, 3), torch.zeros(2))]:
    if device.type == "cuda":
        x = x.to(device)
        y = y.to(device)
    with torch.no_grad():
        out = net(x)
    print(out, y)

# case: an else, and nothing volatile in it
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
for x in [torch.zeros(2, 3)]:
    if device.type == "cuda":
        x = x.to(device)
    else:
        x = x + 0
    with torch.no_grad():
        print(net(x))

# case: an index in what is trained
import torch
from torch import nn
from torch.autograd import Variable


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x, mask):
        ind = Variable(mask.nonzero().squeeze(1), volatile=True)
        return self.inner(x[ind]) + self.inner(x.index_select(0, ind))


net = Masked()
loss = net(torch.ones(4, 3), torch.tensor([1, 0, 1, 0])).sum()
loss.backward()
print(net.inner.weight.grad.sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x, mask):
        ind = mask.nonzero().squeeze(1)
        return self.inner(x[ind]) + self.inner(x.index_select(0, ind))


net = Masked().to(device)
loss = net(torch.ones(4, 3, device=device), torch.tensor([1, 0, 1, 0], device=device)).sum()
loss.backward()
print(net.inner.weight.grad.sum().item())

# case: both branches wrap it
import torch
from torch.autograd import Variable

net = torch.nn.Linear(3, 1)
use_gpu = torch.cuda.is_available()
if use_gpu:
    net = net.cuda()
total = 0
for x in [torch.ones(2, 3)]:
    if use_gpu:
        x = Variable(x, volatile=True).cuda()
    else:
        x = Variable(x, volatile=True)
    y = net(x)
    total += y.sum().data[0]
print(total)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 1)
net = net.to(device)
total = 0
for x in [torch.ones(2, 3)]:
    x = x.to(device)
    with torch.no_grad():
        y = net(x)
    total += y.sum().item()
print(total)

# case: somebody asks for a gradient today
# reports: DFX602
import torch
from torch import nn
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)


def train(x):
    x = Variable(x.to(device), volatile=True)
    net(x).mean().backward()


def loss_of(x):
    losses = []
    x = Variable(x.to(device), volatile=True)
    losses.append(net(x).mean())
    return sum(losses)


train(torch.ones(2, 3))
loss_of(torch.ones(2, 3)).backward()
print(net.weight.grad.sum().item())

# case: who gets what is computed was not seen
# reports: DFX602
import torch
from torch import nn
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)


class Critic(nn.Module):
    def forward(self, x):
        x = Variable(x, volatile=True)
        return net(x)


def stored(x, holder):
    x = Variable(x, volatile=True)
    holder.value = net(x)


print(Critic, stored)

# case: what is computed beside it keeps its gradient
import torch
from torch import nn
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net, critic = nn.Linear(3, 3).to(device), nn.Linear(3, 1).to(device)
for x in [torch.ones(2, 3).to(device)]:
    v = Variable(x, volatile=True)
    fake = net(v).data
    penalty = critic.weight.norm()
    real = net(v + 1).data
    (critic(fake - real).mean() + penalty).backward()
print(critic.weight.grad.sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net, critic = nn.Linear(3, 3).to(device), nn.Linear(3, 1).to(device)
for x in [torch.ones(2, 3).to(device)]:
    with torch.no_grad():
        fake = net(x).data
    penalty = critic.weight.norm()
    with torch.no_grad():
        real = net(x + 1).data
    (critic(fake - real).mean() + penalty).backward()
print(critic.weight.grad.sum().item())

# case: the condition is the one under which it learns
import torch
from torch import nn
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)


def step(x, train):
    x = Variable(x.to(device), volatile=not train)
    loss = net(x).mean()
    if train:
        loss.backward()
    return loss.item()


print(step(torch.ones(2, 3), True), step(torch.ones(2, 3), False))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)


def step(x, train):
    x = x.to(device)
    with torch.set_grad_enabled(train):
        loss = net(x).mean()
    if train:
        loss.backward()
    return loss.item()


print(step(torch.ones(2, 3), True), step(torch.ones(2, 3), False))

# case: switched before a module gets it
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
x = Variable(torch.ones(2, 3).to(device))
x.volatile = True
y = net(x)
print(y.sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3).to(device)
with torch.no_grad():
    y = net(x)
print(y.sum().item())

# case: both branches do something else
# reports: DFX602
import torch
from torch.autograd import Variable


def shown(net, x, wide):
    if wide:
        x = Variable(x, volatile=True)
    else:
        x = net(x)
    return net(x)

# case: training in the same scope, with names that evaluation uses, too
import torch
import torch.nn.functional as F
from torch.autograd import Variable

model = torch.nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
try:
    for epoch in range(2):
        for data in [torch.ones(4, 3)]:
            data = Variable(data)
            output = model(data)
            loss = F.mse_loss(output, torch.zeros(4, 2))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total = 0.0
        for data in [torch.zeros(4, 3)]:
            data = Variable(data, volatile=True)
            output = model(data)
            loss = F.mse_loss(output, torch.zeros(4, 2))
            total += loss.item()
        print("%.4f" % total)
finally:
    print("done")

# output
import torch
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
try:
    for epoch in range(2):
        for data in [torch.ones(4, 3, device=device)]:
            output = model(data)
            loss = F.mse_loss(output, torch.zeros(4, 2, device=device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total = 0.0
        for data in [torch.zeros(4, 3, device=device)]:
            with torch.no_grad():
                output = model(data)
            loss = F.mse_loss(output, torch.zeros(4, 2, device=device))
            total += loss.item()
        print("%.4f" % total)
finally:
    print("done")

# case: a call over two lines
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
output = net(Variable(torch.ones(2, 3, device=device),
                      volatile=True))
print(output.size())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
with torch.no_grad():
    output = net(torch.ones(2, 3, device=device))
print(output.size())

# case: in a generator expression
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
x = Variable(torch.ones(2, 3, device=device), volatile=True)
print(sum(net(x).sum().item() for _ in range(2)))

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
with torch.no_grad():
    print(sum(net(x).sum().item() for _ in range(2)))

# case: in a generator expression whose items are learned from
# reports: DFX602
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
x = Variable(torch.ones(2, 3, device=device), volatile=True)
for loss in (net(x).sum() for _ in range(2)):
    loss.backward()
print(net.weight.grad.sum().item())

# case: what is returned of it is learned from
# reports: DFX602
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)


def score(x):
    return net(Variable(x, volatile=True)).mean()


score(torch.ones(2, 3, device=device)).backward()
print(net.weight.grad.sum().item())

# case: training learns in its next turn from what evaluation computed, by the same name
# reports: DFX602
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
loss = None
for _ in range(2):
    if loss is not None:
        loss.backward()
    x = Variable(torch.ones(2, 3, device=device), volatile=True)
    loss = net(x).mean()
print(net.weight.grad.sum().item())

# case: what a function takes of its argument has no gradient
import torch
from torch.autograd import Variable


def predictions(batch):
    rows = batch.size(0)
    values, indices = batch.data.cpu().max(1)
    return indices.view(rows)


def test(model, loader):
    found = []
    for data, target in loader:
        output = model(Variable(data, volatile=True))
        found.append(predictions(output))
    return found

# output
import torch


def predictions(batch):
    rows = batch.size(0)
    values, indices = batch.data.cpu().max(1)
    return indices.view(rows)


def test(model, loader):
    found = []
    for data, target in loader:
        with torch.no_grad():
            output = model(data)
        found.append(predictions(output))
    return found

# case: a function takes of its argument what has a gradient
# reports: DFX602
import torch
from torch.autograd import Variable


def scores(batch):
    rows = batch.size(0)
    return batch.view(rows, -1)


def test(model, loader):
    total = 0
    for data, target in loader:
        output = model(Variable(data, volatile=True))
        total += scores(output)
    return total

# case: a function takes only `.data` of what has no gradient, and a number besides
import torch
from skimage.measure import compare_psnr
from tensorboardX import SummaryWriter
from torch.autograd import Variable


def psnr(image, clean, data_range):
    one, other = image.data.cpu().numpy(), clean.data.cpu().numpy()
    return compare_psnr(other, one, data_range=data_range)


writer = SummaryWriter("logs")
model = torch.nn.Linear(3, 3)
total = 0
for step in range(2):
    x = Variable(torch.ones(2, 3), volatile=True)
    out = torch.clamp(x - model(x), 0.0, 1.0)
    total += psnr(out, x, 1.0)
writer.add_scalar("validation", total, 0)

# output
import torch
from skimage.measure import compare_psnr
from tensorboardX import SummaryWriter

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def psnr(image, clean, data_range):
    one, other = image.data.cpu().numpy(), clean.data.cpu().numpy()
    return compare_psnr(other, one, data_range=data_range)


writer = SummaryWriter("logs")
model = torch.nn.Linear(3, 3).to(device)
total = 0
for step in range(2):
    x = torch.ones(2, 3, device=device)
    with torch.no_grad():
        out = torch.clamp(x - model(x), 0.0, 1.0)
    total += psnr(out, x, 1.0)
writer.add_scalar("validation", total, 0)

# case: a function gives back what has no gradient, times a number, and somebody asks for it
# reports: DFX602
import torch
from torch import nn
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)


def times(image, factor):
    return image * factor


def train(x):
    x = Variable(x.to(device), volatile=True)
    times(factor=2.0, image=net(x)).mean().backward()


train(torch.ones(2, 3))
print(net.weight.grad.sum().item())

# case: a value of the module that a function below it reads
import torch
from torch.autograd import Variable

noise = torch.ones(2, 3)
noise = Variable(noise, volatile=True)


def show(net, fixed=False):
    if fixed:
        images = net(noise)
    else:
        images = net(torch.zeros(2, 3))
    print(images.sum())

# output
import torch

noise = torch.ones(2, 3)


def show(net, fixed=False):
    if fixed:
        with torch.no_grad():
            images = net(noise)
    else:
        images = net(torch.zeros(2, 3))
    print(images.sum())

# case: a function above the value of the module that it reads may run before that is there
# reports: DFX602
import torch
from torch.autograd import Variable

noise = torch.ones(2, 3)


def show(net):
    print(net(noise).sum())


show(torch.abs)
noise = Variable(torch.zeros(2, 3), volatile=True)
show(torch.abs)

# case: a function computes with a value of the module, and returns it
# reports: DFX602
import torch
from torch.autograd import Variable

noise = Variable(torch.zeros(2, 3), volatile=True)


def compute(net):
    return net(noise)


print(compute(torch.abs).sum())

# case: both branches of a condition
import torch
from torch import nn
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
fast = True
for batch in [torch.ones(2, 3, device=device)]:
    x = Variable(batch, volatile=True)
    if fast:
        y = net(x)
    else:
        y = net(x + 0)
    print(y.shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
fast = True
for batch in [torch.ones(2, 3, device=device)]:
    with torch.no_grad():
        if fast:
            y = net(batch)
        else:
            y = net(batch + 0)
    print(y.shape)

# case: a value stops being volatile in a program of Python 2
import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)


def learn(states, after, mask, reward):
    last = Variable(after, volatile=True)
    now = net(states).max(1)[0]
    values = torch.zeros(4, device=device)
    values[mask] = net(last).max(1)[0]
    values.volatile = False
    best = net(last).max(1)[0]
    best.volatile = False
    start = torch.zeros(4, device=device, requires_grad=True)
    start.volatile = False
    loss = F.mse_loss(now, values * 0.9 + reward + start) + F.mse_loss(now[:2], best)
    loss.backward()
    return loss.item()


ones = torch.ones(4, 3, device=device)
print learn(ones, ones[:2], torch.tensor([0, 1], device=device), ones[:, 0])

# output
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)


def learn(states, after, mask, reward):
    now = net(states).max(1)[0]
    values = torch.zeros(4, device=device)
    with torch.no_grad():
        values[mask] = net(after).max(1)[0]
        values = values.detach()
        best = net(after).max(1)[0]
    best = best.detach()
    start = torch.zeros(4, device=device, requires_grad=True)
    loss = F.mse_loss(now, values * 0.9 + reward + start) + F.mse_loss(now[:2], best)
    loss.backward()
    return loss.item()


ones = torch.ones(4, 3, device=device)
print(learn(ones, ones[:2], torch.tensor([0, 1], device=device), ones[:, 0]))

# case: its gradient is asked for, and the program runs today
# reports: DFX602
import torch
import torch.nn.functional as F
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 2).to(device)
ones = torch.ones(4, 3, device=device)
last = Variable(ones, volatile=True)
values = torch.zeros(4, device=device)
values[torch.tensor([0, 1, 2, 3], device=device)] = net(last).max(1)[0]
loss = F.mse_loss(net(ones).max(1)[0], values * 0.9)
loss.backward()
print(loss.item())
