import torch

OFFSETS = {"pump": 1.0, "cuda": 2.0}


def readings(device, count):  # stays
    start = OFFSETS[device]  # stays
    return torch.arange(count) + start


def summary(device, count):  # stays
    return f"{device}: {readings(device, count).sum().item()}"
