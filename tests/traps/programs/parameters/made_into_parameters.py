# trap: factories that become Parameters; the module takes them along
# covers: parameter
import torch
from torch import nn


class Bilinear(nn.Module):
    # --- stays
    def __init__(self, left, right):
        super().__init__()
        self.core = nn.Parameter(torch.zeros(left, right))
        self.scale = nn.Parameter(torch.tensor(1.0), requires_grad=False)
        self.bias = nn.Parameter(torch.full((right,), 0.1))
        self.register_parameter("gate", nn.Parameter(torch.linspace(0, 1, right)))

    # --- end

    def forward(self, x, y):
        return ((x @ self.core + self.bias) * y * self.gate).sum(1) * self.scale


model = Bilinear(3, 4)  # moves
x = torch.ones(2, 3)  # moves
y = torch.ones(2, 4)  # moves
print(round(model(x, y).sum().item(), 4))
