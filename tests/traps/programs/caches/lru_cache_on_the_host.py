# trap: a cached table that the host reads; its key knows nothing of a device
# covers: cache
from functools import lru_cache

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@lru_cache(maxsize=None)
def window(length):
    # --- stays
    steps = torch.arange(length).float()
    return torch.sin(3.14 * (steps + 0.5) / length)
    # --- end


def levels(length):
    return [round(value, 3) for value in window(length).tolist()]  # stays


model = nn.Linear(4, 1).to(device)
x = torch.ones(2, 4)  # moves
print(model(x).shape, levels(4), window(4) is window(4))
