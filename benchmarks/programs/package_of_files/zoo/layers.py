import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, dim, longest=20):
        super().__init__()
        position = torch.arange(longest, dtype=torch.float).unsqueeze(1)
        div = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
        pe = torch.zeros(longest, dim)
        pe[:, 0::2] = torch.sin(position * div)
        pe[:, 1::2] = torch.cos(position * div)
        self.pe = pe

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))

    def forward(self, x, pad):
        s = self.q(x) @ self.k(x).transpose(1, 2) / math.sqrt(x.size(-1))
        future = torch.triu(torch.ones(x.size(1), x.size(1)), 1).bool()
        s = s.masked_fill(future, -1e9).masked_fill(pad[:, None, :], -1e9)
        return torch.softmax(s, -1) @ self.v(x)
