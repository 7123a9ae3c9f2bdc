# trap: a module whose own `.to` does more; a module that refuses to move
# covers: user-to parameter
import torch
from torch import nn


class Tracked(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.extra = torch.ones(2)

    def to(self, *args, **kwargs):
        moved = super().to(*args, **kwargs)
        moved.extra = self.extra.to(*args, **kwargs)
        return moved

    def forward(self, x):
        return self.layer(x) + self.extra


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Tracked().to(device)
print(model(torch.ones(1, 2, device=device)).shape)
