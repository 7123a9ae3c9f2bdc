# trap: a Parameter is expanded per batch; what it was made from stays in `__init__`
# covers: parameter init-local
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.cell = nn.GRU(size, size, batch_first=True)
        # --- stays
        start = torch.zeros(1, 1, size)
        start[..., 0] = 1.0
        self.start = nn.Parameter(start)
        # --- end

    def forward(self, x):
        hidden = self.start.expand(1, x.size(0), -1).contiguous()  # stays
        return self.cell(x, hidden)[0]


model = Encoder(3)  # moves
x = torch.ones(2, 4, 3)  # moves
print(model(x).shape)
