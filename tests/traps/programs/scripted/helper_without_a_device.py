# trap: in a compiled function a global `device` is an error of compilation
# covers: torchscript
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@torch.jit.script
def causal(scores: torch.Tensor) -> torch.Tensor:
    mask = torch.ones(scores.size(0), scores.size(1)).tril()  # stays or: mask = torch.ones(scores.size(0), scores.size(1), device=scores.device).tril()
    return scores * mask  # stays or: return scores * mask.to(scores.device)


model = nn.Linear(3, 3).to(device)
x = torch.zeros(2, 3, device=device)
print(causal(model(x)).shape)
