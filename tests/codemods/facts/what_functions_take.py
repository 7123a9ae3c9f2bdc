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
