# case: a paragraph of which nothing is left takes an empty line with it
import torch
from torch.autograd import Variable


def train(loader, model):
    for inputs, targets, sizes in loader:
        batch_size = inputs.size(0)

        inputs = Variable(inputs, volatile=False)
        targets = Variable(targets)
        sizes = Variable(sizes)

        out = model(inputs)
        print(out, targets, sizes, batch_size)


x = torch.zeros(3)
y = torch.zeros(3)

x = Variable(x)
y = Variable(y)


def end():
    a = x + y
    b = x - y

    a = Variable(a)
    b = Variable(b)
    print(a, b)

# output
import torch


def train(loader, model):
    for inputs, targets, sizes in loader:
        batch_size = inputs.size(0)

        out = model(inputs)
        print(out, targets, sizes, batch_size)


x = torch.zeros(3)
y = torch.zeros(3)


def end():
    a = x + y
    b = x - y

    print(a, b)
