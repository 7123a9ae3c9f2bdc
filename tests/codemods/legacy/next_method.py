# case: the iterator of a list
import torch

batches = iter([torch.ones(2), torch.zeros(2)])
first = batches.next()
print(first, iter([1, 2]).next())

# output
import torch

batches = iter([torch.ones(2), torch.zeros(2)])
first = next(batches)
print(first, next(iter([1, 2])))

# case: a generator of the file, kept in an object
import torch


def endless():
    while True:
        yield torch.ones(2)


class Source:
    def __init__(self):
        self.batches = endless()

    def draw(self):
        return self.batches.next().sum()


print(Source().draw())

# output
import torch


def endless():
    while True:
        yield torch.ones(2)


class Source:
    def __init__(self):
        self.batches = endless()

    def draw(self):
        return next(self.batches).sum()


print(Source().draw())

# case: the iterator of a loader, by its method
import torch
from torch.utils.data import DataLoader


def first(loader):
    return loader.__iter__().next()


loader = DataLoader([torch.ones(2), torch.zeros(2)], batch_size=1)
batches = loader.__iter__()
print(first(loader), batches.next())

# output
import torch
from torch.utils.data import DataLoader


def first(loader):
    return next(iter(loader))


loader = DataLoader([torch.ones(2), torch.zeros(2)], batch_size=1)
batches = loader.__iter__()
print(first(loader), next(batches))

# case: a class of the program may give an iterator of Python 2
import torch


class Feed:
    def __iter__(self):
        return self

    def next(self):
        return torch.ones(2)


print(Feed().__iter__().next())

# case: nobody knows what it is
# reports: DFX609
import torch


def draw(batches):
    return batches.next() + torch.ones(2)

# case: an object of the program has such a method
import torch


class Feed:
    def next(self):
        return torch.ones(2)


print(Feed().next())

# case: a method that takes something
import torch


class Cursor:
    def advance(self, n):
        return torch.ones(n)


print(Cursor().advance(2), next(iter([1])))

# case: a progress bar is told to go on
import torch


def fill(bar, n):
    for i in range(n):
        bar.next()
    return torch.ones(n)

# case: somebody catches what happens
import torch


def draw(batches):
    try:
        return batches.next() + torch.ones(2)
    except AttributeError:
        return next(batches) + torch.ones(2)
