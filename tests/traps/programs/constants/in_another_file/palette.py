import torch

MEAN = torch.tensor([0.5, 0.25, 0.125])
ORDER = torch.argsort(MEAN)


def names():
    return [["red", "green", "blue"][k] for k in ORDER]
