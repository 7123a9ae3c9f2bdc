import torch
from torch import nn


def tiny_model():
    model = nn.Linear(2, 2)
    with torch.no_grad():
        model.weight.copy_(torch.eye(2))
        model.bias.zero_()
    return model


def inputs():
    return torch.tensor([[1.0, 2.0], [3.0, 4.0]])
