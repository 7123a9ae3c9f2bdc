# trap: a cache whose key holds the device already
# covers: cache kwargs
from functools import lru_cache

import torch
from torch import nn


@lru_cache(maxsize=None)
def causal_mask(length, device):
    return torch.full((length, length), float("-inf"), device=device).triu(1)  # stays


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.query = nn.Linear(size, size)

    def forward(self, x):
        scores = self.query(x) @ x.transpose(1, 2)
        return (scores + causal_mask(x.size(1), x.device)).softmax(-1) @ x  # stays


run_on = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Attention(4).to(run_on)
x = torch.ones(2, 3, 4)  # moves
print(model(x).shape)
