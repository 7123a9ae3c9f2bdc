import torch


def ramp(length):
    return torch.arange(length, dtype=torch.float32) / length
