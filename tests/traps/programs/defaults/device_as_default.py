# trap: `device="cpu"` and `device=None` as defaults are for callers to say otherwise
# covers: default-argument on-purpose names
import torch
from torch import nn


# --- stays
def grid(n, device="cpu"):
    return torch.arange(n, device=device).float()


def noise(n, device=None, dtype=torch.float32):
    return torch.zeros(n, device=device, dtype=dtype)


class Model(nn.Module):
    def __init__(self, size, device=torch.device("cpu")):
        super().__init__()
        self.layer = nn.Linear(size, 1, device=device)

    def forward(self, x):
        return self.layer(x)


# --- end
run_on = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Model(4, device=run_on)  # stays
print(model(grid(4, device=run_on) + noise(4, run_on)).shape, grid(3).tolist())  # stays
print(model(torch.ones(2, 4)).shape)  # moves
