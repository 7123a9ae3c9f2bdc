# trap: the view is handed to a function that writes it
# covers: grad-view alias
import numpy as np
import torch
from torch import nn


def clip_(values, limit):
    np.clip(values, -limit, limit, out=values)


def train(model, x):
    model(x).pow(2).sum().backward()
    for p in model.parameters():
        clip_(p.grad.data.numpy(), 0.1)  # stays
    return max(float(p.grad.abs().max()) for p in model.parameters())


model = nn.Linear(2, 2)
nn.init.ones_(model.weight)
print(round(train(model, torch.ones(3, 2)), 3))
