# trap: what is cached serves the host and the device; only the device's use moves
# covers: cache
import functools

import torch
from torch import nn


@functools.lru_cache(maxsize=8)
def relative(length):
    return torch.arange(length)[:, None] - torch.arange(length)[None, :]  # stays


class Biased(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.bias = nn.Embedding(2 * length, 1)
        self.length = length
        self.largest = int(relative(length).abs().max())  # stays

    def forward(self, scores):
        index = relative(self.length) + self.length
        return scores + self.bias(index).squeeze(-1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Biased(3).to(device)
scores = torch.zeros(1, 3, 3)  # moves
print(model(scores).shape, model.largest, relative(3).numpy().tolist())  # stays
