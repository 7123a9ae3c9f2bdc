# trap: a class of the program has `.device` and `.type` of its own
# covers: names user-to
import torch
from torch import nn


class Handle:
    def __init__(self, device):
        self.device = device
        self.type = "file"

    def new_zeros(self, count):
        return [0] * count

    def to(self, device, non_blocking=False):
        return Handle(device)


# --- stays
handle = Handle("/dev/sda").to("/dev/cuda", non_blocking=True)
print(handle.device, handle.type, handle.new_zeros(2))
# --- end
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
print(model(torch.ones(1, 2)).shape)  # moves: print(model(torch.ones(1, 2, device=device)).shape)
