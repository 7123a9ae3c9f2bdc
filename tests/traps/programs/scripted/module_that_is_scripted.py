# trap: `next(self.parameters())` does not compile in the forward of a scripted module
# covers: torchscript
import torch
from torch import nn


class Positional(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.layer = nn.Linear(size, size)

    def forward(self, count: int) -> torch.Tensor:
        start = torch.zeros(count, self.layer.in_features)  # stays or: start = torch.zeros(count, self.layer.in_features, device=self.layer.weight.device)
        return self.layer(start)  # stays or: return self.layer(start.to(self.layer.weight.device))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.jit.script(Positional(3).to(device))
print(model(4).shape)
