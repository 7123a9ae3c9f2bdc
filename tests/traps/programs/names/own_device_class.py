# trap: a context manager and a class of the program that are called like torch's
# covers: names user-to
import torch
from torch import nn


class device:
    """A pump, as a context manager."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


# --- stays
with device("cuda") as pump:
    level = torch.zeros(3)
    print(pump.name, level.tolist())
# --- end
run_on = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(run_on)
print(model(torch.ones(1, 2)).shape)  # moves: print(model(torch.ones(1, 2, device=run_on)).shape)
