import math

import torch
import torch.nn as nn


def positional_encoding(v, sigma, m):
    """Sines and cosines of ``v`` at ``m`` frequencies up to ``sigma``."""
    j = torch.arange(m)
    coeffs = 2 * math.pi * sigma ** (j / m)
    vp = coeffs * torch.unsqueeze(v, -1)
    return torch.cat((torch.cos(vp), torch.sin(vp)), dim=-1).flatten(-2, -1)


class PositionalEncoding(nn.Module):
    def __init__(self, sigma, m):
        super().__init__()
        self.sigma = sigma
        self.m = m

    def forward(self, v):
        return positional_encoding(v, self.sigma, self.m)
