import torch
from torch import nn


class Tree(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.register_buffer("weight", torch.tensor([0.3, 0.7]))  # stays

    def forward(self, x):
        return self.layer(x)

    def loss(self, x, kinds):
        return nn.functional.cross_entropy(self(x), kinds, weight=self.weight)  # stays
