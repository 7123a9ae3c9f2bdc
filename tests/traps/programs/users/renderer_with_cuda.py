# trap: `.cuda()` of a class that is no tensor and no module
# covers: user-cuda names
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Renderer:
    def __init__(self):
        self.backend = "cpu"

    def cuda(self, index=0):
        self.backend = f"cuda{index}"
        return self

    def numpy(self):
        return self.backend.upper()


# --- stays
renderer = Renderer().cuda()
renderer.cuda(1)
print(renderer.backend, Renderer().cuda(2).numpy())
# --- end
model = nn.Linear(1, 1).to(device)
print(model(torch.ones(1, 1)).shape)  # moves
