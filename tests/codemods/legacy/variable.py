# case: rebound by their own names
import torch
from torch.autograd import Variable

model = torch.nn.Linear(3, 1)
for data, target in torch.utils.data.DataLoader(
    torch.utils.data.TensorDataset(torch.ones(8, 3), torch.ones(8, 1)), batch_size=4
):
    data, target = Variable(data), Variable(target)
    print(model(data) - target)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(3, 1).to(device)
for data, target in torch.utils.data.DataLoader(
    torch.utils.data.TensorDataset(torch.ones(8, 3), torch.ones(8, 1)), batch_size=4
):
    data, target = data.to(device), target.to(device)
    print(model(data) - target)

# case: one of two names is another
import torch
from torch.autograd import Variable as V


def halves(x, y):
    x, y = V(x), V(y[:, 0])
    return x * y


print(halves(torch.ones(2), torch.ones(2, 2)))

# output
import torch


def halves(x, y):
    y = y[:, 0]
    return x * y


print(halves(torch.ones(2), torch.ones(2, 2)))

# case: other ways to the same name
import torch
import torch.autograd as autograd
from torch import autograd as ag

x = torch.autograd.Variable(torch.ones(3))
y = autograd.Variable(data=torch.ones(3), requires_grad=False)
z = ag.Variable(x + y).sum()
print(z.item(), ag.grad, autograd.grad)

# output
import torch
import torch.autograd as autograd
from torch import autograd as ag

x = torch.ones(3)
y = torch.ones(3)
z = (x + y).sum()
print(z.item(), ag.grad, autograd.grad)

# case: with a gradient
import numpy as np
import torch
from torch.autograd import Variable, grad

w = Variable(torch.randn(3, 2), requires_grad=True)
v = Variable(torch.from_numpy(np.ones(3)), True)
u = Variable(torch.ones(3) * 2, requires_grad=True)
t = torch.ones(3)
s = Variable(t, requires_grad=True)
r = Variable(t.data, requires_grad=True)
print(grad(((w.sum() + u + s) * v * r).sum(), [w, v, u, s]), t)

# output
import numpy as np
import torch
from torch.autograd import grad

w = torch.randn(3, 2, requires_grad=True)
v = torch.from_numpy(np.ones(3)).requires_grad_()
u = (torch.ones(3) * 2).requires_grad_()
t = torch.ones(3)
s = t.detach().requires_grad_()
r = t.data.requires_grad_()
print(grad(((w.sum() + u + s) * v * r).sum(), [w, v, u, s]), t)

# case: nothing else holds what gets a gradient, or something may
import torch
from torch.autograd import Variable


def alone(wide):
    x = torch.ones(3) * 2
    if wide:
        x = x.double()
    x = Variable(x, requires_grad=True)
    w = torch.randn(3, 3).mul_(1e-3)
    return x, Variable(w.float(), requires_grad=True)


def held(wide):
    x = torch.ones(3)
    rows = [x]
    x = Variable(x, requires_grad=True)
    y = torch.zeros(2)
    z = +y
    z = Variable(z, requires_grad=True)
    for _ in range(2):
        if wide:
            y = torch.ones(2)
        y = Variable(y, requires_grad=True)
        rows.append(y)
    v = torch.ones(1)
    rows.append(lambda: v)
    return rows, x, z, Variable(v, requires_grad=True)


print(alone(True), held(True))

# output
import torch


def alone(wide):
    x = torch.ones(3) * 2
    if wide:
        x = x.double()
    x.requires_grad_()
    w = torch.randn(3, 3).mul_(1e-3)
    return x, w.float().requires_grad_()


def held(wide):
    x = torch.ones(3)
    rows = [x]
    x = x.detach().requires_grad_()
    y = torch.zeros(2)
    z = +y
    z = z.detach().requires_grad_()
    for _ in range(2):
        if wide:
            y = torch.ones(2)
        y = y.detach().requires_grad_()
        rows.append(y)
    v = torch.ones(1)
    rows.append(lambda: v)
    return rows, x, z, v.detach().requires_grad_()


print(alone(True), held(True))

# case: a second name, for as long as the first means the same
import torch
from torch.autograd import Variable


def run(batches, flag):
    for x, y in batches:
        x_var, y_var = Variable(x), Variable(y)
        print(sum(x_var), y_var.sum(), [x_var + i for i in range(2)])
    a = torch.ones(2)
    if flag:
        a_v = Variable(a)
    print(a_v)
    b = torch.zeros(2)
    b_v = Variable(b)
    b = b + 1
    c_v = Variable(b)
    print(b, b_v, lambda: c_v)
    d_v = Variable(b)
    d_v += 1
    b, e_v = torch.ones(1), Variable(b)
    print([b for b in range(3)], d_v, e_v)


run([(torch.ones(2, 2), torch.ones(2))], True)
inputs = torch.ones(1, 2)
inputs_var = Variable(inputs)
print(sum(inputs_var), inputs_var.shape)

# output
import torch


def run(batches, flag):
    for x, y in batches:
        print(sum(x), y.sum(), [x + i for i in range(2)])
    a = torch.ones(2)
    if flag:
        a_v = a
    print(a_v)
    b = torch.zeros(2)
    b_v = b
    b = b + 1
    c_v = b
    print(b, b_v, lambda: c_v)
    d_v = b
    d_v += 1
    b, e_v = torch.ones(1), b
    print([b for b in range(3)], d_v, e_v)


run([(torch.ones(2, 2), torch.ones(2))], True)
inputs = torch.ones(1, 2)
print(sum(inputs), inputs.shape)

# case: what may have a gradient is taken out of it
import torch
from torch.autograd import Variable


def repackage(hidden):
    if type(hidden) == Variable:
        return Variable(hidden.data)
    return tuple(repackage(h) for h in hidden)


def penalty(critic, mixed):
    mixed = Variable(mixed, requires_grad=True)
    scores = critic(mixed)
    return scores, Variable(scores)


hidden = (torch.ones(2, requires_grad=True) * 2, torch.ones(1))
print([h.requires_grad for h in repackage(hidden)], isinstance(hidden[0], Variable))
print([x.requires_grad for x in penalty(lambda x: x * 2, torch.ones(3))])

# output
import torch


def repackage(hidden):
    if isinstance(hidden, torch.Tensor):
        return hidden.data
    return tuple(repackage(h) for h in hidden)


def penalty(critic, mixed):
    mixed = mixed.detach().requires_grad_()
    scores = critic(mixed)
    return scores, scores.detach()


hidden = (torch.ones(2, requires_grad=True) * 2, torch.ones(1))
print([h.requires_grad for h in repackage(hidden)], isinstance(hidden[0], torch.Tensor))
print([x.requires_grad for x in penalty(lambda x: x * 2, torch.ones(3))])

# case: nothing is left of the block in which no gradients are recorded
import torch
from torch.autograd import Variable


def check():
    x, y = torch.ones(3), torch.zeros(3)

    # make variables
    with torch.no_grad():
        x = Variable(x)
        y = Variable(y)

    with torch.no_grad():
        z = Variable(torch.ones(3))
        print(z)
    return x + y


def alone(x):
    if x is not None:
        with torch.no_grad():
            x = Variable(x.data)

# output
import torch


def check():
    x, y = torch.ones(3), torch.zeros(3)

    with torch.no_grad():
        z = torch.ones(3)
        print(z)
    return x + y


def alone(x):
    if x is not None:
        with torch.no_grad():
            x = x.data

# case: what is below a mode of gradients, and stays
import torch

with torch.no_grad():
    pass
x = torch.ones(3)
with torch.no_grad():
    x += 1
print(x)

# case: what is written into a constant says whether it stays one
import torch
from torch.autograd import Variable


def states(net, keep, bias):
    weight = net.weight.data
    first = Variable(weight.new(net.layers * net.ways, 3).zero_(), requires_grad=False)
    second = Variable(torch.zeros(3).mul_(2.0).add_(torch.ones(3)))
    third = Variable(weight.new(1, 2, 3).add_(bias))
    fourth = torch.zeros(3)
    fourth += net(bias)
    fourth = Variable(fourth)
    fifth = Variable((net(bias) > 0).float().view(-1, keep))
    sixth = Variable(bias.view(1, -1).argmax(1).float())
    return first, second, third, fourth, fifth, sixth, Variable(net.state.zero_())

# output
import torch


def states(net, keep, bias):
    weight = net.weight.data
    first = weight.new_zeros(net.layers * net.ways, 3)
    second = torch.zeros(3).mul_(2.0).add_(torch.ones(3))
    third = weight.new(1, 2, 3).add_(bias).detach()
    fourth = torch.zeros(3)
    fourth += net(bias)
    fourth = fourth.detach()
    fifth = (net(bias) > 0).float().view(-1, keep)
    sixth = bias.view(1, -1).argmax(1).float()
    return first, second, third, fourth, fifth, sixth, net.state.zero_().detach()

# case: over several lines
import torch
from torch.autograd import (
    Variable,
    grad,
)

rows = Variable(torch.Tensor([[1, 2],
                              [3, 4]]))
total = Variable(
    rows.sum()
)
more = Variable(rows
                + rows) * 2
print(total, more, grad)

# output
import torch
from torch.autograd import (
    grad,
)

rows = torch.Tensor([[1, 2],
                     [3, 4]])
total = rows.sum()
more = (rows
        + rows) * 2
print(total, more, grad)

# case: a choice that is none any more
import torch
from torch.autograd import Variable


def wrap(x, cuda):
    if cuda:
        x = Variable(x.view(-1))
    else:
        x = Variable(x)  # as it is
    if cuda and not x.is_cuda:
        x = Variable(x)
    if x.numel() > 1:
        x = Variable(x)
    return x


print(wrap(torch.ones(2, 2), True), wrap(torch.ones(2), False))

# output
import torch


def wrap(x, cuda):
    if cuda:
        x = x.view(-1)
    else:
        pass  # as it is
    if x.numel() > 1:
        pass
    return x


print(wrap(torch.ones(2, 2), True), wrap(torch.ones(2), False))

# case: another library
import tensorflow as tf
import torch

print(tf.Variable(1.0), torch.ones(1))

# case: a class of the program
import torch


class Variable:
    def __init__(self, data):
        self.data = data


print(Variable(torch.ones(2)).data)

# case: spread arguments
# reports: DFX601
import torch
from torch.autograd import Variable


def wrap(x, **options):
    return Variable(x, **options)


print(wrap(torch.ones(2), requires_grad=True))

# case: the comment above them goes with all of a paragraph
import torch
from torch.autograd import Variable

x, y = torch.ones(2), torch.zeros(2)
print(Variable(x.data.new(1, 2).zero_()), Variable(x.data.new([1, 2]).zero_()))

# Now variables
# (for the graph)
x = Variable(x)
y = Variable(y)

# the sum
x = Variable(x)
print(x + y)

# TODO: without
x = Variable(x)

if x.sum() > 1:
    # once more
    x = Variable(x)

    # and y
    y = Variable(y)

    print(x, y)
# wrap it
y = Variable(y)

print(y)
# in the middle
y = Variable(y)

print(y)

# output
import torch

x, y = torch.ones(2), torch.zeros(2)
print(x.data.new_zeros(1, 2), x.data.new([1, 2]).zero_())

# the sum
print(x + y)

# TODO: without

if x.sum() > 1:
    print(x, y)

print(y)
# in the middle

print(y)

# case: handed on
import torch
from torch.autograd import Variable

print(list(map(Variable, [torch.ones(2)])))

# case: an import that is tried
import torch

try:
    from torch.autograd import Variable
except ImportError:
    Variable = None
print(torch.ones(2))

# case: other calls of the same shape
import torch


def variable(x, volatile=False):
    return x


print(variable(torch.ones(2)), isinstance(torch.ones(1), torch.Tensor))

# case: a comment would be lost
# reports: DFX601
import torch
from torch.autograd import Variable

x = Variable(
    torch.ones(3),  # a mask
    requires_grad=False,
)
print(x)

# case: a second name that nothing wraps
import torch

x = torch.ones(2)
y = x
print(y)

# case: suppressed
import torch
from torch.autograd import Variable

print(Variable(torch.ones(3)))  # devicefix: ignore[DFX601]

# case: what is new is written into, and nothing wraps it
import torch

new = torch.ones(2).new(3).zero_().add_(torch.ones(3)).detach()
print(new)

# case: a comment above what stays
import torch

# Now variables
x = torch.ones(2)

print(x)

# case: beside a volatile one that stays
# reports: DFX601 DFX602
import torch
from torch.autograd import Variable


def batch(source, i, evaluation=False):
    data = Variable(source[i], volatile=evaluation)
    target = Variable(source[i + 1])
    return data, target

# case: what a loader gives by the method of its iterator
import torch
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(4, 3)), batch_size=2)
(batch,) = loader.__iter__().__next__()
print(Variable(batch).shape)

# output
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(4, 3)), batch_size=2)
(batch,) = loader.__iter__().__next__()
print(batch.shape)

# case: the module that has it is imported for nothing else
import torch
import torch.autograd as autograd


def decode(scores):
    tags = autograd.Variable(torch.ones(3, 4))
    return tags + scores.size(0)

# output
import torch


def decode(scores):
    tags = torch.ones(3, 4)
    return tags + scores.size(0)

# case: the module that has it is used for something else, too
import torch
from torch import autograd


def slope(x, y):
    x = autograd.Variable(x, requires_grad=True)
    return autograd.grad(y(x).sum(), x)

# output
import torch
from torch import autograd


def slope(x, y):
    x = x.detach().requires_grad_()
    return autograd.grad(y(x).sum(), x)

# case: the module that has it is imported, and nothing ever used it
import torch
import torch.autograd as autograd
from torch import autograd as engine

print(torch.ones(3), engine.grad)

# case: a module of another name
import torch.autograd
import torch.autograd.functional as functional

print(torch.autograd.grad, functional.jacobian)

# case: a question for the version that decides about nothing else
import torch
from torch.autograd import Variable

version = torch.__version__[:3]
x, y = torch.ones(2), torch.zeros(2)
if version == "0.3":
    x = Variable(x)
    y = Variable(y)
print((x + y).sum().item())

# output
import torch

version = torch.__version__[:3]
x, y = torch.ones(2), torch.zeros(2)
print((x + y).sum().item())

# case: the name means something else
import torch
from mylib import Variable

x = Variable("x", torch.ones(2))
print(x)

# case: whole numbers have no gradient, whatever they are computed from
import torch
from torch.autograd import Variable


def scores(net, batch_size, k):
    found = torch.Tensor(batch_size * k, 1)
    found.fill_(-float("inf"))
    found.index_fill_(0, torch.LongTensor([i * k for i in range(batch_size)]), 0.0)
    found = Variable(found)
    return net(found)

# output
import torch


def scores(net, batch_size, k):
    found = torch.Tensor(batch_size * k, 1)
    found.fill_(-float("inf"))
    found.index_fill_(0, torch.LongTensor([i * k for i in range(batch_size)]), 0.0)
    return net(found)

# case: a class of that name in the file itself
import torch


class Variable:
    def __init__(self, value):
        self.value = value


index = torch.LongTensor([1, 2])
index.index_fill_(0, torch.LongTensor([0]), 3)
print(Variable(index).value)

# case: what has no gradient in one branch of an expression has none in the other
import torch
from torch.autograd import Variable

cuda = torch.cuda.is_available()


def encoded(table, text):
    codes = torch.zeros(len(text)).long()
    for i, letter in enumerate(text):
        codes[i] = table[letter]
    return Variable(codes).cuda() if cuda else Variable(codes)

# output
import torch

cuda = torch.cuda.is_available()


def encoded(table, text):
    codes = torch.zeros(len(text)).long()
    for i, letter in enumerate(text):
        codes[i] = table[letter]
    return codes.cuda() if cuda else codes

# case: a name of the file's own, in both branches of an expression
import torch


class Variable:
    def __init__(self, value):
        self.value = value


def encoded(codes, cuda):
    return Variable(codes.long()) if cuda else Variable(codes)


print(encoded(torch.ones(3), False).value.sum().item())

# case: detached at once, which is all that Variable does
import torch
from torch.autograd import Variable


def pad(x, y):
    zeros = torch.zeros(2, 3)
    zeros = Variable(zeros).detach()
    y = Variable(y).detach()
    return torch.cat([x, zeros, y], 1), Variable(torch.ones(3)).detach().sum()


print(pad(torch.ones(2, 3), torch.ones(2, 3))[1].item())

# output
import torch


def pad(x, y):
    zeros = torch.zeros(2, 3)
    return torch.cat([x, zeros, y], 1), torch.ones(3).sum()


print(pad(torch.ones(2, 3), torch.ones(2, 3))[1].item())

# case: somebody else's Variable is detached
import torch


class Variable:
    def __init__(self, tensor):
        self.tensor = tensor

    def detach(self):
        return self.tensor


zeros = torch.zeros(2, 3)
zeros = Variable(zeros).detach()
print(zeros.sum().item())

# case: a file of old torch by its loss.data[0]
import torch
from torch import nn
from torch.autograd import Variable


def batches():
    import pairs

    return pairs.load()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
for x in batches():
    loss = net(Variable(x).to(device)).mean()
    print(loss.data[0])

# output
import torch
from torch import nn


def batches():
    import pairs

    return pairs.load()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
for x in batches():
    loss = net(x.to(device)).mean()
    print(loss.item())

# case: arguments that are not written out
# reports: DFX601
import torch
from torch.autograd import Variable

pair = (torch.ones(2), True)
print(Variable(*pair).requires_grad)

# case: comprehensions that do no more than copy
import torch
from torch.autograd import Variable

params = {"w": torch.ones(2), "b": torch.zeros(2)}
copied = {k: Variable(v) for k, v in params.items()}
swapped = {v: Variable(k) for k, v in zip(params.values(), params)}
some = {k: Variable(v) for k, v in params.items() if k != "b"}
listed = [Variable(v) for v in params.values()]
pair = [Variable(v) for v in (params["w"], params["b"])]
learned = [Variable(v, requires_grad=True) for v in params.values()]
lazy = (Variable(v) for v in listed)
parts = [Variable(v[:1]) for v in listed]
said = [
    Variable(v)  # each of them
    for v in listed
]
print(copied, some, swapped, pair, sum(lazy), learned, parts, said)

# output
import torch

params = {"w": torch.ones(2), "b": torch.zeros(2)}
copied = dict(params.items())
swapped = {v: k for k, v in zip(params.values(), params)}
some = {k: v for k, v in params.items() if k != "b"}
listed = list(params.values())
pair = [v for v in (params["w"], params["b"])]
learned = [v.detach().requires_grad_() for v in params.values()]
lazy = (v for v in listed)
parts = [v[:1] for v in listed]
said = [
    v  # each of them
    for v in listed
]
print(copied, some, swapped, pair, sum(lazy), learned, parts, said)

# case: unchanged, a comprehension that the program wrote as a copy
import torch

listed = [v for v in (torch.ones(2), torch.zeros(2))]
print({k: v for k, v in enumerate(listed)})

# case: the type of a new tensor only tells which torch it is
import torch
from torch.autograd import Variable


def tensor_is_variable():
    return type(torch.Tensor()) == Variable


print(tensor_is_variable())

# case: beside the same question about a tensor it stays
import torch
from torch import Tensor
from torch.autograd import Variable


class Averager:
    def add(self, v):
        if isinstance(v, Variable):
            self.count = v.data.numel()
            v = v.data.sum()
        elif isinstance(v, torch.Tensor):
            self.count = v.numel()
            v = v.sum()
        self.sum = v


def unwrap(x):
    if isinstance(x, (Variable, Tensor)):
        return x.data
    return x


def is_tensor_like(x):
    return torch.is_tensor(x) or isinstance(x, Variable)


def to_host(x, y):
    if isinstance(x, Variable):
        x = x.data
    if isinstance(y, torch.Tensor):
        y = y.cpu()
    return x, y

# output
import torch
from torch import Tensor
from torch.autograd import Variable


class Averager:
    def add(self, v):
        if isinstance(v, Variable):
            self.count = v.data.numel()
            v = v.data.sum()
        elif isinstance(v, torch.Tensor):
            self.count = v.numel()
            v = v.sum()
        self.sum = v


def unwrap(x):
    if isinstance(x, (Variable, Tensor)):
        return x.data
    return x


def is_tensor_like(x):
    return torch.is_tensor(x) or isinstance(x, Variable)


def to_host(x, y):
    if isinstance(x, torch.Tensor):
        x = x.data
    if isinstance(y, torch.Tensor):
        y = y.cpu()
    return x, y
