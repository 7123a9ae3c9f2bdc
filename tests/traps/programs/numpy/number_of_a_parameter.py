# trap: what NumPy makes of a number is a number, and has no `.to`
# covers: numpy
import numpy as np
import torch


def clipped(scores, limit=None):
    return torch.exp(torch.tanh(scores) * np.log(limit))


handlers = {"clip": clipped}
print(handlers["clip"](torch.zeros(2), 3.0).tolist())
