# trap: `device=input.get_device()` holds a device already
# covers: device-get-device
# needs: cuda
import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.table = nn.Embedding(size, 4)

    def forward(self, input):
        index = torch.arange(
            input.size(1),  # stays
            device=input.get_device(),  # stays or: device=input.device,
        )
        return self.table(index) + self.table.weight.new_zeros(input.size(0), 1, 4)  # stays


class Shifted(Positions):
    def forward(self, input):
        zeros = torch.zeros(input.size(0), 1, dtype=torch.long, device=input.get_device())  # stays or: zeros = torch.zeros(input.size(0), 1, dtype=torch.long, device=input.device)
        return super().forward(torch.cat([zeros, input], 1))  # stays
