# trap: the base class `torch.jit.ScriptModule` and its decorated methods
# covers: torchscript
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Decayed(torch.jit.ScriptModule):
    def __init__(self, size: int):
        super().__init__()
        self.layer = nn.Linear(size, size)

    @torch.jit.script_method
    def forward(self, x):
        steps = torch.arange(x.size(1))  # stays or: steps = torch.arange(x.size(1), device=x.device)
        return self.layer(x) * torch.exp(-steps)  # stays or: return self.layer(x) * torch.exp(-steps.to(x.device))


model = Decayed(3).to(device)
print(model(torch.ones(2, 3, device=device)).shape)
