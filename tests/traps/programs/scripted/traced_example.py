# trap: tracing bakes the device into the graph; what is traced on the host runs on the host
# covers: torchscript on-purpose timing
import torch
from torch import nn


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x) + torch.arange(2)


model = Shifted().cpu().eval()
traced = torch.jit.trace(model, torch.ones(1, 2))
torch.jit.save(traced, "shifted.pt")
print(torch.jit.load("shifted.pt", map_location="cpu")(torch.zeros(3, 2)).shape)
