import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def to_gpu(value):
    return value.to(device)


def to_cpu(value):
    return value.cpu()
