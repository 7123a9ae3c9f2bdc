import torch


def outline(size):
    return torch.linspace(0, 1, 1 + size % 3)  # stays
