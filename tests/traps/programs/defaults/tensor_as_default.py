# trap: a tensor as default argument is made once, before there is a device
# covers: default-argument
import torch
from torch import nn


def whiten(x, mean=torch.tensor([0.5, 0.2]), std=torch.ones(2)):  # stays
    return (x - mean) / std


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(whiten(torch.tensor([[1.0, 2.0]])).tolist())  # stays
model = nn.Linear(2, 2).to(device)
x = torch.ones(1, 2)  # moves
print(model(x).shape)
