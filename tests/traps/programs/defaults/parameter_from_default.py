# trap: a default argument that becomes a buffer travels with its module
# covers: default-argument buffer argument-parameter
import torch
from torch import nn


class Weighted(nn.Module):
    # --- stays
    def __init__(self, size, weight=torch.ones(3), bias=torch.tensor(0.5)):
        super().__init__()
        self.layer = nn.Linear(size, 3)
        self.register_buffer("weight", weight)
        self.bias = nn.Parameter(bias.clone())

    # --- end

    def forward(self, x):
        return self.layer(x) * self.weight + self.bias


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Weighted(2).to(device)  # stays
print(model(torch.ones(1, 2)).shape)  # moves
