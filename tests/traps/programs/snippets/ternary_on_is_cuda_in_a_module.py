# trap: legacy tensors chosen by `is_cuda`: size and data in one constructor
# covers: is-cuda-ternary
import torch
from torch import nn


class Dropword(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def forward(self, x):
        kept = torch.ones(x.size(0), 1)
        kept = kept.cuda() if x.is_cuda else kept  # stays or: kept = kept.to(x.device)
        if not self.training or self.rate == 0:
            return x * kept
        return x * (torch.rand_like(kept) > self.rate).float()


class Gate(nn.Module):
    def forward(self, x, y):
        pick = (lambda t: t.cuda()) if y.is_cuda else (lambda t: t)
        return pick(x) * y if x.is_cuda == y.is_cuda else x * y.cpu()
