# trap: the callee makes a Parameter of its argument
# covers: argument-parameter parameter
import torch
from torch import nn


class Prior(nn.Module):
    def __init__(self, mean, scale):
        super().__init__()
        self.mean = nn.Parameter(mean)  # stays
        self.register_buffer("scale", scale)  # stays

    def forward(self, x):
        return ((x - self.mean) / self.scale).pow(2).sum()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
mean = torch.zeros(3)  # stays
prior = Prior(mean, torch.ones(3) * 2).to(device)  # stays
sample = torch.arange(3.0)  # moves
print(prior(sample).item())
