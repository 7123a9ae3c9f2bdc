# trap: tensors in `__init__` that only become numbers, layers or settings
# covers: init-local linspace
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size, drop):
        super().__init__()
        self.layer = nn.Linear(size, size)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        return x + self.drop(self.layer(x).relu())


class Stack(nn.Module):
    def __init__(self, size, depth, drop=0.2):
        super().__init__()
        # --- stays
        rates = [rate.item() for rate in torch.linspace(0, drop, depth)]
        widths = torch.arange(depth).mul(2).tolist()
        probe = torch.zeros(1, size)
        features = nn.Flatten()(probe).shape[1]
        self.blocks = nn.ModuleList([Block(features, rate) for rate in rates])
        self.total = int(torch.tensor(widths).sum())
        # --- end

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x * self.total


model = Stack(4, 3)  # moves
model.eval()
x = torch.zeros(2, 4)  # moves
print(model(x).shape, model.total)
