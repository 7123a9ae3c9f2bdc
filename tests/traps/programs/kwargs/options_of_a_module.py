# trap: options with a device travel through several constructors; a second `device=` is an error
# covers: kwargs
import torch
from torch import nn


def first_state(batch, width, **kwargs):
    return torch.zeros(batch, width, **kwargs)  # stays


class Cell(nn.Module):
    # --- stays
    def __init__(self, width, **options):
        super().__init__()
        self.options = options
        self.width = width
        self.layer = nn.Linear(width, width, **options)

    # --- end

    def forward(self, x):
        state = first_state(len(x), self.width, **self.options)  # stays
        scale = torch.ones(self.width).to(x.dtype)  # moves
        return self.layer(x + state) * scale  # stays


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
options = dict(device=device, dtype=torch.float32)
model = Cell(3, **options)  # stays
print(model(torch.ones(2, 3)).shape)  # moves: print(model(torch.ones(2, 3, device=device)).shape)
