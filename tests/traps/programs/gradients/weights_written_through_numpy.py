# trap: weights are set through arrays that share their memory
# covers: grad-view parameter
import numpy as np
import torch
from torch import nn


def set_weights(model, vector):
    start = 0
    for p in model.parameters():
        target = p.data.numpy()
        target[...] = vector[start : start + p.numel()].reshape(p.shape)
        start += p.numel()


def objective(model, vector):
    set_weights(model, vector)
    with torch.no_grad():
        return model(torch.ones(1, 2)).item()


model = nn.Linear(2, 1)
best = min((objective(model, np.full(3, w)), w) for w in np.linspace(-1, 1, 5))
print(best)
