# trap: a helper makes tensors of arrays of both kinds
# covers: integer-labels numpy
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def tensors(*arrays):
    return tuple(torch.from_numpy(array).to(device) for array in arrays)  # stays


rows = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)
x, y = tensors(rows, np.array([0, 1, 1, 0]))  # stays
mask, weight = torch.from_numpy(np.array([True, False, True, True])), torch.from_numpy(np.arange(4))  # moves
model = nn.Linear(3, 2).to(device)
loss = nn.functional.cross_entropy(model(x)[mask], y[mask], reduction="none")
print((loss * weight[mask]).sum().item() > 0, y.dtype)
