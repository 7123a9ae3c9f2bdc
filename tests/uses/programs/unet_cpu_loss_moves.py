# moves
import torch
from torch import nn
class Up(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = {}
        for i in range(2):
            self.parts[i] = nn.Conv1d(1, 1, 3, padding=1)
    def forward(self, x):
        return self.parts[1](self.parts[0](x))
class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(1)
        self.p = nn.Parameter(torch.ones(1))
    def forward(self, a, b):
        return (self.w * self.p * (a - b) ** 2).mean()
u, l = Up(), Loss()
x = torch.ones(2, 1, 5)
print(l(u(x), torch.zeros(2, 1, 5)).item())
