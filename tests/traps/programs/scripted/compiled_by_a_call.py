# trap: the same where `torch.jit.script` is called on the function later
# covers: torchscript
import torch
from torch import nn


def decay(x: torch.Tensor, rate: float) -> torch.Tensor:
    weights = torch.pow(torch.full((x.size(1),), rate), torch.arange(x.size(1)))  # stays or: weights = torch.pow(torch.full((x.size(1),), rate), torch.arange(x.size(1))).to(x.device)
    return x * weights  # stays or: return x * weights.to(x.device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
fast_decay = torch.jit.script(decay)
model = nn.Linear(2, 5).to(device)
print(fast_decay(model(torch.ones(1, 2, device=device)), 0.9).shape)
