# case: a number does as well as a tensor
import torch


def shifted(n, height):
    return torch.add(torch.arange(0, n), height)


def scaled(n, factor):
    return torch.mul(torch.ones(n), factor)


def chosen(mask, other):
    return torch.where(mask > 0, torch.ones(3), other)


def drawn(mean, std):
    return torch.distributions.Normal(torch.zeros(3), std).sample() - mean


def slopes(x):
    y = torch.zeros(3, requires_grad=True)
    return torch.autograd.grad((y * 2).sum(), x)

# output
import torch


def shifted(n, height):
    return torch.add(torch.arange(0, n), height)


def scaled(n, factor):
    return torch.mul(torch.ones(n), factor)


def chosen(mask, other):
    return torch.where(mask > 0, torch.ones(3, device=mask.device), other)


def drawn(mean, std):
    return torch.distributions.Normal(torch.zeros(3), std).sample() - mean


def slopes(x):
    y = torch.zeros(3, requires_grad=True)
    return torch.autograd.grad((y * 2).sum(), x)

# case: what surely is a tensor, beside what may be None
import torch
from torch.nn import functional


def larger(n, other):
    return torch.maximum(torch.ones(n), other)


def loss(target, weight):
    scores = torch.zeros(4, 5, requires_grad=True)
    return functional.cross_entropy(scores, target, weight)


def weighted(weight):
    scores = torch.zeros(4, 5, requires_grad=True)
    return functional.cross_entropy(scores, torch.zeros(4).long(), weight=weight)


def biased(bias):
    return functional.linear(torch.zeros(4, 5), torch.ones(3, 5), bias)

# output
import torch
from torch.nn import functional


def larger(n, other):
    return torch.maximum(torch.ones(n, device=other.device), other)


def loss(target, weight):
    scores = torch.zeros(4, 5, requires_grad=True, device=target.device)
    return functional.cross_entropy(scores, target, weight)


def weighted(weight):
    scores = torch.zeros(4, 5, requires_grad=True)
    return functional.cross_entropy(scores, torch.zeros(4).long(), weight=weight)


def biased(bias):
    return functional.linear(torch.zeros(4, 5), torch.ones(3, 5), bias)

# case: a state, or a mask, that may be None or a tuple
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4)
        self.attention = nn.MultiheadAttention(4, 2)

    def decode(self, hidden):
        start = torch.zeros(1, 2, 4)
        return self.rnn(start, hidden)

    def attend(self, memory, mask):
        query = torch.zeros(1, 2, 4)
        return self.attention(query, memory, memory, key_padding_mask=mask)

    def masked(self, mask):
        query = torch.zeros(1, 2, 4)
        return self.attention(query, query, query, attn_mask=mask)

# output
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4)
        self.attention = nn.MultiheadAttention(4, 2)

    def decode(self, hidden):
        start = torch.zeros(1, 2, 4, device=self.rnn.weight_ih_l0.device)
        return self.rnn(start, hidden)

    def attend(self, memory, mask):
        query = torch.zeros(1, 2, 4, device=memory.device)
        return self.attention(query, memory, memory, key_padding_mask=mask)

    def masked(self, mask):
        query = torch.zeros(1, 2, 4, device=next(self.parameters()).device)
        return self.attention(query, query, query, attn_mask=mask)

# case: what callers may bring as something else
import torch


def scaled(x):
    pos = torch.zeros(3)
    if isinstance(x, float):
        return pos * x
    return torch.matmul(pos, x)


def tried(x):
    pos = torch.zeros(3)
    try:
        return torch.matmul(pos, x)
    except TypeError:
        return pos * x


def asked(x):
    pos = torch.zeros(3)
    if not torch.is_tensor(x):
        return pos * x
    return torch.matmul(pos, x)

# output
import torch


def scaled(x):
    pos = torch.zeros(3)
    if isinstance(x, float):
        return pos * x
    return torch.matmul(pos.to(x.device), x)


def tried(x):
    pos = torch.zeros(3)
    try:
        return torch.matmul(pos, x)
    except TypeError:
        return pos * x


def asked(x):
    pos = torch.zeros(3)
    if not torch.is_tensor(x):
        return pos * x
    return torch.matmul(pos, x)

# case: a tensor on some ways through the function, or on all
import torch


def some(x, n):
    pos = torch.zeros(n)
    if n > 3:
        return torch.matmul(pos, x)
    return pos


def each(xs, n):
    pos = torch.zeros(n)
    for x in xs:
        pos = pos + torch.matmul(pos, xs)
    return pos


def checked(x, n):
    pos = torch.zeros(n)
    if n < 3:
        raise ValueError(n)
    return torch.matmul(pos, x)


def before(x, n):
    rows = x.size(0)
    pos = torch.zeros(rows)
    if n > 3:
        return torch.matmul(pos, x)
    return pos

# output
import torch


def some(x, n):
    pos = torch.zeros(n)
    if n > 3:
        return torch.matmul(pos.to(x.device), x)
    return pos


def each(xs, n):
    pos = torch.zeros(n, device=xs.device)
    for x in xs:
        pos = pos + torch.matmul(pos, xs)
    return pos


def checked(x, n):
    pos = torch.zeros(n, device=x.device)
    if n < 3:
        raise ValueError(n)
    return torch.matmul(pos, x)


def before(x, n):
    rows = x.size(0)
    pos = torch.zeros(rows, device=x.device)
    if n > 3:
        return torch.matmul(pos, x)
    return pos

# case: a constant that only functions which nobody calls combine with what they get
import numpy as np
import torch
from torch import nn

PI = torch.from_numpy(np.asarray(np.pi))


def log_normal_diag(x, mu, log_var):
    return -0.5 * torch.log(2. * PI) - 0.5 * log_var - 0.5 * torch.exp(-log_var) * (x - mu)**2.


net = nn.Linear(3, 3)
x = torch.ones(2, 3)
for i in range(3):
    print(net(x))

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

PI = torch.from_numpy(np.asarray(np.pi))


def log_normal_diag(x, mu, log_var):
    return -0.5 * torch.log(2. * PI) - 0.5 * log_var - 0.5 * torch.exp(-log_var) * (x - mu)**2.


net = nn.Linear(3, 3).to(device)
x = torch.ones(2, 3, device=device)
for i in range(3):
    print(net(x))
