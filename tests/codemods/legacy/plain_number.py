# case: added up and printed
# unsafe
import torch
from torch.autograd import Variable

net = torch.nn.Linear(3, 2)
correct, total = 0, 0
for _ in range(2):
    inputs, labels = torch.ones(4, 3), torch.zeros(4).long()
    inputs, labels = Variable(inputs.cuda()), Variable(labels.cuda())
    outputs = net(inputs)
    _, predicted = torch.max(outputs.data, 1)
    total += labels.size(0)
    correct += (predicted == labels.data).cpu().sum()
print("correct:", correct, "of", total)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = torch.nn.Linear(3, 2).to(device)
correct, total = 0, 0
for _ in range(2):
    inputs, labels = torch.ones(4, 3), torch.zeros(4).long()
    inputs, labels = inputs.to(device), labels.to(device)
    outputs = net(inputs)
    _, predicted = torch.max(outputs.data, 1)
    total += labels.size(0)
    correct += (predicted == labels.data).cpu().sum().item()
print("correct:", correct, "of", total)

# case: bound to a name that is printed
# unsafe
import torch
from torch.autograd import Variable


def count(output, target):
    right = output.data.max(1)[1].eq(target.data).sum()
    worst = 100.0 * torch.max(target.data.float())
    print("right", right, worst)


print(count(Variable(torch.ones(2, 3)), Variable(torch.zeros(2))))

# output
import torch


def count(output, target):
    right = output.data.max(1)[1].eq(target.data).sum().item()
    worst = 100.0 * torch.max(target.data.float()).item()
    print("right", right, worst)


print(count(torch.ones(2, 3), torch.zeros(2)))

# case: printed, and put into a list
# unsafe
import torch
from torch.autograd import Variable

x = Variable(torch.ones(3), volatile=True)
counts = torch.zeros(4).long()
means = []
means.append(x.data.mean())
print("counted", counts.sum(), means)

# output
import torch

x = torch.ones(3)
counts = torch.zeros(4).long()
means = []
means.append(x.data.mean().item())
print("counted", counts.sum().item(), means)

# case: it may have been a Variable, whose sum was one
import torch
from torch import autograd


def total(x, y):
    right = (x == y).sum()
    print("right", right, isinstance(autograd.Variable, type))


print(total)

# case: no file of that time
import torch

correct = 0
x = torch.ones(3)
correct += (x == 1).sum()
print(correct)

# case: it is read as a tensor
import torch
from torch import autograd

flag = isinstance(autograd.Variable, type)
right = (torch.ones(3).data == 1).sum()
print("right", right, right.dtype, flag)

# case: along a dimension, or one that learns
import torch
from torch import autograd

flag = isinstance(autograd.Variable, type)
w = torch.ones(3, requires_grad=True)
total = 0
total += (w * torch.ones(3)).sum()
print(total, torch.ones(2, 2).data.sum(0), flag)

# case: formatted, which reads the number
import torch
from torch import autograd

flag = isinstance(autograd.Variable, type)
x = torch.ones(3)
print("%.2f" % x.data.mean(), "%d of %d" % (x.data.sum(), 3), flag)

# case: a dictionary is asked for it
import torch
from torch.autograd import Variable

words = {0: "SOS", 1: "EOS"}


def decode(output):
    best, index = output.data.topk(1)
    first = index[0][0]
    print(first == 1, words[first], words.get(index[0, 0], "?"))


decode(Variable(torch.ones(1, 2)))

# output
import torch

words = {0: "SOS", 1: "EOS"}


def decode(output):
    best, index = output.data.topk(1)
    first = index[0][0].item()
    print(first == 1, words[first], words.get(index[0, 0].item(), "?"))


decode(torch.ones(1, 2))

# case: a list is asked for it, or for what is read as a tensor
import torch
from torch import autograd

flag = isinstance(autograd.Variable, type)
words, ages = ["SOS", "EOS"], {0: 3}
best, index = torch.ones(1, 2).data.topk(1)
first = index[0][0]
print(words[index[0][0]], ages[first.item()], ages.get(first), flag)

# case: handed on in a file that may be of a later time
import torch
from torch import autograd


def reduced(tensor):
    return tensor.float() / 2


flag = isinstance(autograd.Variable, type)
right = (torch.ones(3).data == 1).sum()
print("right", right, reduced(right), flag)

# case: it ran: what is printed would be another text
# reports: DFX614
import torch
from torch import autograd

flag = isinstance(autograd.Variable, type)
x = torch.ones(3)
count = 0
for _ in range(2):
    count += (x.data == 1).cpu().sum()
print("counted", count, flag)

# case: a loss that is read by an index raises before
import torch
from torch.autograd import Variable

loss_of = torch.nn.MSELoss()


def test(batches):
    total, correct = 0, 0
    for x, y in batches:
        x, y = Variable(x), Variable(y)
        total += loss_of(x, y).data[0]
        if len(x) > 1:
            correct += (x.data == y.data).sum()
    print("loss", total, "correct", correct)


test([(torch.ones(3), torch.ones(3))])

# output
import torch

loss_of = torch.nn.MSELoss()


def test(batches):
    total, correct = 0, 0
    for x, y in batches:
        total += loss_of(x, y).item()
        if len(x) > 1:
            correct += (x.data == y.data).sum().item()
    print("loss", total, "correct", correct)


test([(torch.ones(3), torch.ones(3))])

# case: the only element of a tensor of one dimension
# unsafe
import torch
from torch.autograd import Variable

w = torch.ones(4, 3, requires_grad=True)
x = Variable(torch.ones(3), volatile=True)
real = (w * 2).mean().view(1)
fake = (w * 3).mean().view(-1)
both = real - (w * 3).mean().view(1)
print("%.2f %.2f %.2f" % (real.data[0], fake.data[0], both.data.cpu()[0]))
print(w.data[0], (w * 2).view(2, 6).data[0], real.data[0].clone(), x)

# output
import torch

w = torch.ones(4, 3, requires_grad=True)
x = torch.ones(3)
real = (w * 2).mean().view(1)
fake = (w * 3).mean().view(-1)
both = real - (w * 3).mean().view(1)
print("%.2f %.2f %.2f" % (real.item(), fake.data[0].item(), both.item()))
print(w.data[0], (w * 2).view(2, 6).data[0], real.data[0].clone(), x)

# case: returned, in a file that indexes what has no dimension
# unsafe
import torch
from torch.autograd import Variable


def accuracy(near, far):
    predicted = (far - near).cpu().data
    return (predicted > 0).sum() * 1.0 / near.size()[0]


w = torch.ones(4, requires_grad=True)
loss = (Variable(w) * 2).mean()
print(accuracy(w * 2, w), loss.data[0])

# output
import torch


def accuracy(near, far):
    predicted = (far - near).cpu().data
    return (predicted > 0).sum().item() * 1.0 / near.size()[0]


w = torch.ones(4, requires_grad=True)
loss = (w * 2).mean()
print(accuracy(w * 2, w), loss.item())

# case: an element in a file that may be newer, of a tensor of two dimensions, or used as a tensor
import torch

w = torch.ones(4, 3, requires_grad=True)
real = (w * 2).mean().view(1)
print("%.2f" % real.data[0], w.data[0], real.data[0].clone())

# case: returned, in a file that may be newer
# unsafe
import torch
from torch.autograd import Variable


def accuracy(near, far):
    predicted = (far - near).data
    print((predicted > 1).sum())
    return (predicted > 0).sum() * 1.0


w = Variable(torch.ones(4), requires_grad=True)
print(accuracy(w * 2, w))

# output
import torch


def accuracy(near, far):
    predicted = (far - near).data
    print((predicted > 1).sum().item())
    return (predicted > 0).sum() * 1.0


w = torch.ones(4, requires_grad=True)
print(accuracy(w * 2, w))
