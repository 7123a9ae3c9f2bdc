# case: parameters of an object that is no module
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Linear:
    def __init__(self, size):
        start = torch.zeros(size)
        self.weight = nn.Parameter(torch.eye(size) * 2).to(device)
        self.bias = nn.Parameter(start + 1, requires_grad=True).to(device)
        self.scale = nn.Parameter(data=torch.ones(1)).to(device)  # one for all

    def __call__(self, x):
        return (x @ self.weight + self.bias) * self.scale


net = Linear(3)
net(torch.ones(2, 3, device=device)).sum().backward()
print(net.weight.grad.sum().item(), net.bias.grad.tolist(), net.scale.is_leaf)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Linear:
    def __init__(self, size):
        start = torch.zeros(size)
        self.weight = nn.Parameter((torch.eye(size) * 2).to(device))
        self.bias = nn.Parameter((start + 1).to(device), requires_grad=True)
        self.scale = nn.Parameter(data=torch.ones(1).to(device))  # one for all

    def __call__(self, x):
        return (x @ self.weight + self.bias) * self.scale


net = Linear(3)
net(torch.ones(2, 3, device=device)).sum().backward()
print(net.weight.grad.sum().item(), net.bias.grad.tolist(), net.scale.is_leaf)

# case: a parameter of a module, in the old spelling
import torch
from torch import nn
from torch.nn.parameter import Parameter


class Scale(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = Parameter(torch.ones(size)).cuda()

    def forward(self, x):
        return x * self.weight


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Scale(3).to(device)
print(net(torch.ones(2, 3, device=device)).sum().item(), len(list(net.parameters())))

# output
import torch
from torch import nn
from torch.nn.parameter import Parameter


class Scale(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = Parameter(torch.ones(size, device=device))

    def forward(self, x):
        return x * self.weight


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Scale(3).to(device)
print(net(torch.ones(2, 3, device=device)).sum().item(), len(list(net.parameters())))

# case: tensors that ask for a gradient themselves
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.zeros(3, requires_grad=True).to(device)
b = torch.full(
    (3,),
    2.0,
    requires_grad=True,
).to(device)
c = torch.arange(3.0).requires_grad_().to(device)
d = [torch.ones(3, requires_grad=True).to(device=device) for _ in range(2)]
((a + b + c) * sum(d)).sum().backward()
print(a.grad.tolist(), b.grad.tolist(), c.grad.tolist(), d[0].grad.tolist())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.zeros(3, requires_grad=True, device=device)
b = torch.full(
    (3,),
    2.0,
    requires_grad=True,
    device=device,
)
c = torch.arange(3.0).to(device).requires_grad_()
d = [torch.ones(3, requires_grad=True, device=device) for _ in range(2)]
((a + b + c) * sum(d)).sum().backward()
print(a.grad.tolist(), b.grad.tolist(), c.grad.tolist(), d[0].grad.tolist())

# case: variables of old programs
import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
w = Variable(torch.ones(4, 2), requires_grad=True).to(device)
v = Variable(torch.ones(2), True).to(device)
x = Variable(torch.ones(3, 4)).to(device)
(x.mm(w) * v).sum().backward()
print(w.grad.sum().item(), v.grad.sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
w = torch.ones(4, 2, requires_grad=True, device=device)
v = torch.ones(2, requires_grad=True, device=device)
x = torch.ones(3, 4).to(device)
(x.mm(w) * v).sum().backward()
print(w.grad.sum().item(), v.grad.sum().item())

# case: numbers of a generator of the CPU, and a transfer that says more
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = torch.Generator().manual_seed(0)
start = torch.randn(3, generator=generator, requires_grad=True).to(device)
other = torch.ones(3, requires_grad=True).to(device, non_blocking=True)
(start * other).sum().backward()
print(start.grad.tolist(), other.grad.tolist())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = torch.Generator().manual_seed(0)
start = torch.randn(3, generator=generator).to(device).requires_grad_()
other = torch.ones(3).to(device, non_blocking=True).requires_grad_()
(start * other).sum().backward()
print(start.grad.tolist(), other.grad.tolist())

# case: numbers that the CPU drew are moved as they are
import torch
from torch.autograd import Variable

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(3, requires_grad=True).to(device)
y = Variable(torch.rand(3), requires_grad=True).cuda()
(x * y).sum().backward()
print(x.grad.tolist(), y.grad.tolist())

# output
import torch

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(3).to(device).requires_grad_()
y = torch.rand(3).to(device).requires_grad_()
(x * y).sum().backward()
print(x.grad.tolist(), y.grad.tolist())

# case: moved first
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = nn.Parameter(torch.ones(3).to(device))
start = torch.zeros(3, device=device, requires_grad=True)
(weight * start).sum().backward()
print(weight.grad, start.grad)

# case: a leaf that has a name of its own
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
leaf = torch.ones(3, requires_grad=True)
moved = leaf.to(device)
(moved * 2).sum().backward()
print(leaf.grad)

# case: the result is computed with at once
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
table = nn.Parameter(torch.ones(3)).to(device).view(1, 3)
shifted = torch.ones(3, requires_grad=True).to(device) + 1
plain = torch.ones(3, requires_grad=True).to(device).detach()
again = nn.Parameter(nn.Parameter(torch.ones(3)).to(device))
print(table.shape, shifted.sum().item(), plain, again.is_leaf)

# case: tensors that ask for no gradient
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.zeros(3, requires_grad=False).to(device)
b = torch.zeros(3).to(device)
c = torch.zeros(3, requires_grad=False).to(device)
print((a + b + c).sum().item())

# case: a dtype, or the CPU
import torch
from torch import nn

a = nn.Parameter(torch.ones(3)).to(torch.float64)
b = nn.Parameter(torch.ones(3)).to("cpu")
print(a.dtype, b.is_leaf)

# case: a class of the program that is called like one of torch
class Parameter:
    def __init__(self, value):
        self.value = value

    def to(self, device):
        return self


import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
setting = Parameter(3).to(device)
print(setting.value)

# case: a transfer as a statement, and one that is handed on
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = nn.Parameter(torch.ones(3))
moved = (weight * 2).to(device)
print(moved.sum().item(), (nn.Parameter(torch.ones(3)).to(device) * 2).sum().item())

# case: a parameter of what has been moved already
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.nodes = nn.Parameter(torch.ones(2, 3).to(device), requires_grad=True).to(device)

    def forward(self, x):
        return x @ self.nodes


net = Net(device)
print(net(torch.ones(3, 2).to(device)).sum().item())

# case: unchanged, a function computes with it and keeps nothing
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def padded(x):
    y = x.view(1, 3)
    return torch.cat((y, y), 0).sum()


def noise(x):
    weight = nn.Parameter(torch.ones(3)).to(device)
    if x.dim() > 1:
        weight = weight.contiguous()
    return padded(weight) + (x * weight[0]).sum()


print(noise(torch.ones(3, device=device)).item())

# case: what asks for its gradient, returns it, or hands it to others
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def asked(x):
    weight = nn.Parameter(torch.ones(3)).to(device)
    (x * weight).sum().backward()
    return weight.grad


def returned(x):
    weight = nn.Parameter(torch.ones(3)).to(device)
    return x, weight


def trained(x):
    weight = nn.Parameter(torch.ones(3)).to(device)
    torch.optim.SGD([weight], lr=0.1)
    return (x * weight).sum()


def handed(x, keep):
    weight = nn.Parameter(torch.ones(3)).to(device)
    keep(weight)
    return (x * weight).sum()


x = torch.ones(3, device=device)
print(asked(x), returned(x), trained(x), handed(x, [].append))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def asked(x):
    weight = nn.Parameter(torch.ones(3).to(device))
    (x * weight).sum().backward()
    return weight.grad


def returned(x):
    weight = nn.Parameter(torch.ones(3).to(device))
    return x, weight


def trained(x):
    weight = nn.Parameter(torch.ones(3).to(device))
    torch.optim.SGD([weight], lr=0.1)
    return (x * weight).sum()


def handed(x, keep):
    weight = nn.Parameter(torch.ones(3).to(device))
    keep(weight)
    return (x * weight).sum()


x = torch.ones(3, device=device)
print(asked(x), returned(x), trained(x), handed(x, [].append))

# case: of an object that is no module
import torch


class Automaton:
    def __init__(self, device):
        self.device = device

    def reset(self, size):
        self.scale = torch.nn.Parameter(torch.zeros(size)).to(self.device)


automaton = Automaton("cuda" if torch.cuda.is_available() else "cpu")
automaton.reset(3)
optimizer = torch.optim.SGD([automaton.scale], lr=0.1)

# output
import torch


class Automaton:
    def __init__(self, device):
        self.device = device

    def reset(self, size):
        self.scale = torch.nn.Parameter(torch.zeros(size).to(self.device))


automaton = Automaton("cuda" if torch.cuda.is_available() else "cpu")
automaton.reset(3)
optimizer = torch.optim.SGD([automaton.scale], lr=0.1)
