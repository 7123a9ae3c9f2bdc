from helpers import ramp
from torch import nn


class Net(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.layer = nn.Linear(length, 2)
        self.length = length

    def forward(self, x):
        return self.layer(x * ramp(self.length))  # moves
