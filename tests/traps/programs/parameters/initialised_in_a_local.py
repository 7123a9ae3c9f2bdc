# trap: a local of `__init__` is filled by `nn.init` and only then made a Parameter
# covers: parameter init-local
import math

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, size):
        super().__init__()
        # --- stays
        weight = torch.empty(size, size)
        nn.init.orthogonal_(weight)
        bound = 1 / math.sqrt(size)
        bias = torch.empty(size).uniform_(-bound, bound)
        mask = torch.ones(size, size).tril()
        weight = weight * mask
        # --- end
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(bias)

    def forward(self, x):
        return torch.tanh(x @ self.weight.t() + self.bias)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
cell = Cell(4).to(device)
state = torch.zeros(2, 4)  # moves: state = torch.zeros(2, 4, device=device)
for _ in range(3):
    state = cell(state)
print(state.shape)
