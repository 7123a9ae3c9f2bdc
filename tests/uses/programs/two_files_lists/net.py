import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = []
        for a, b in zip(sizes, sizes[1:]):
            self.layers.append(nn.Sequential(nn.Linear(a, b), nn.ReLU()))
        self.head = nn.Linear(sizes[-1], 1)
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)
