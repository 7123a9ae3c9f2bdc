# case: an index that differs in a recursive call
import torch
from torch import nn


class Net:
    def __init__(self):
        self.nets = [nn.Linear(2, 2), nn.Linear(2, 2)]
        self.kids = {0: [1], 1: []}

    def run(self, i, x):
        y = self.nets[i](x)
        for k in self.kids[i]:
            y = self.run(k, y)
        return y


print(Net().run(0, torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net:
    def __init__(self):
        self.nets = [nn.Linear(2, 2).to(device), nn.Linear(2, 2).to(device)]
        self.kids = {0: [1], 1: []}

    def run(self, i, x):
        y = self.nets[i](x)
        for k in self.kids[i]:
            y = self.run(k, y)
        return y


print(Net().run(0, torch.ones(2, device=device)).shape)

# case: a tree of objects is iterated over with yield from
import torch
from torch import nn


class Node:
    def __init__(self, net, kids=()):
        self.net, self.kids = net, kids

    def __iter__(self):
        yield self
        for k in self.kids:
            yield from k


x = torch.ones(2)
for n in Node(nn.Linear(2, 2), [Node(nn.Linear(2, 2))]):
    x = n.net(x)
print(x.shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Node:
    def __init__(self, net, kids=()):
        self.net, self.kids = net, kids

    def __iter__(self):
        yield self
        for k in self.kids:
            yield from k


x = torch.ones(2, device=device)
for n in Node(nn.Linear(2, 2).to(device), [Node(nn.Linear(2, 2).to(device))]):
    x = n.net(x)
print(x.shape)

# case: a recursive function is given an object that it has not seen
import torch
from torch import nn


class Node:
    def __init__(self, net, kids=()):
        self.net, self.kids = net, kids


def run(node, x):
    y = node.net(x)
    for k in node.kids:
        y = run(k, y)
    return y


root = Node(nn.Linear(2, 2), [Node(nn.Linear(2, 2))])
print(run(root, torch.ones(1, 2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Node:
    def __init__(self, net, kids=()):
        self.net, self.kids = net, kids


def run(node, x):
    y = node.net(x)
    for k in node.kids:
        y = run(k, y)
    return y


root = Node(nn.Linear(2, 2).to(device), [Node(nn.Linear(2, 2).to(device))])
print(run(root, torch.ones(1, 2, device=device)).shape)

# case: tensors of a tree are summed up
import torch
from torch import nn


class Term:
    def __init__(self, v, kids=()):
        self.v, self.kids = v, kids

    def value(self):
        return self.v + sum(k.value() for k in self.kids)


t = Term(torch.ones(2), [Term(torch.zeros(2)), Term(torch.ones(2))])
print((nn.Linear(2, 2)(torch.ones(2)) + t.value()).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Term:
    def __init__(self, v, kids=()):
        self.v, self.kids = v, kids

    def value(self):
        return self.v + sum(k.value() for k in self.kids)


t = Term(torch.ones(2), [Term(torch.zeros(2)), Term(torch.ones(2))])
print((nn.Linear(2, 2).to(device)(torch.ones(2, device=device)) + t.value().to(device)).shape)

# case: a tree of two classes
import torch
from torch import nn


class Leaf:
    def __init__(self, w):
        self.w = w

    def run(self, x):
        return x * self.w


class Inner:
    def __init__(self, net, a, b):
        self.net, self.a, self.b = net, a, b

    def run(self, x):
        y = self.net(x)
        return self.a.run(y) + self.b.run(y)


t = Inner(nn.Linear(2, 2), Leaf(torch.ones(2)), Inner(nn.Linear(2, 2), Leaf(torch.zeros(2)), Leaf(torch.ones(2))))
print(t.run(torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Leaf:
    def __init__(self, w):
        self.w = w

    def run(self, x):
        return x * self.w


class Inner:
    def __init__(self, net, a, b):
        self.net, self.a, self.b = net, a, b

    def run(self, x):
        y = self.net(x)
        return self.a.run(y) + self.b.run(y)


t = Inner(nn.Linear(2, 2).to(device), Leaf(torch.ones(2, device=device)), Inner(nn.Linear(2, 2).to(device), Leaf(torch.zeros(2, device=device)), Leaf(torch.ones(2, device=device))))
print(t.run(torch.ones(2, device=device)).shape)

# case: a recursive function takes one part after the other off a list
import torch
from torch import nn


def run(nets, x):
    return run(nets[1:], nets[0](x)) if nets else x


print(run([nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2)], torch.ones(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def run(nets, x):
    return run(nets[1:], nets[0](x)) if nets else x


print(run([nn.Linear(2, 2).to(device), nn.Tanh(), nn.Linear(2, 2).to(device)], torch.ones(2, device=device)).shape)

# case: a method calls itself for a child
import torch
from torch import nn


class Node:
    def __init__(self, net, child=None):
        self.net, self.child = net, child

    def run(self, x):
        y = self.net(x)
        return self.child.run(y) if self.child else y


leaf = Node(nn.Linear(2, 2))
root = Node(nn.Linear(2, 2), leaf)
print(root.run(torch.ones(1, 2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Node:
    def __init__(self, net, child=None):
        self.net, self.child = net, child

    def run(self, x):
        y = self.net(x)
        return self.child.run(y) if self.child else y


leaf = Node(nn.Linear(2, 2).to(device))
root = Node(nn.Linear(2, 2).to(device), leaf)
print(root.run(torch.ones(1, 2, device=device)).shape)

# case: a call of more objects than are followed moves nothing
# reports: DFX101 DFX103
import torch
from torch import nn


class Node:
    def __init__(self, net):
        self.net, self.kids = net, []

    def __call__(self, x):
        y = self.net(x)
        for k in self.kids:
            y = k(y)
        return y


root = Node(nn.Linear(2, 2))
root.kids.append(Node(nn.Linear(2, 2)))
print(root(torch.ones(1, 2)).shape)

# case: the first of a slice is another element than the first of the list
import torch
from torch import nn

nets = [nn.Linear(2, 2), nn.Linear(2, 2)]
rest = nets[1:]
print(nets[0](torch.ones(2)).shape, rest[0](torch.zeros(2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

nets = [nn.Linear(2, 2).to(device), nn.Linear(2, 2).to(device)]
rest = nets[1:]
print(nets[0](torch.ones(2, device=device)).shape, rest[0](torch.zeros(2, device=device)).shape)
