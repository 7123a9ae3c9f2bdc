# trap: constants of a library, 0-dim ones and those that only the host reads
# covers: class-level
import math

import torch
from torch import nn

LOG_TWO_PI = torch.tensor(math.log(2 * math.pi))
TINY = torch.tensor(1e-8)
LEVELS = torch.arange(0, 256, 64)
NAMES = dict(zip(LEVELS.tolist(), ["dark", "dim", "bright", "light"]))


def log_density(x, mean, scale):
    return -0.5 * (LOG_TWO_PI + ((x - mean) / (scale + TINY)) ** 2) - torch.log(scale + TINY)


def name_of(level):
    nearest = int((LEVELS - level).abs().argmin())
    return NAMES[LEVELS[nearest].item()]


class Density(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(1))
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return log_density(x, self.mean, self.scale.abs()).sum()
