import torch

import left


def scale(x):
    return x * torch.arange(x.size(1), device=x.device)  # stays


def size_of(module):
    assert isinstance(module, left.Left)
    return int(torch.tensor([module.size, 1]).max())  # stays
