# trap: TorchScript cannot see a global device; only what follows a tensor compiles
# covers: torchscript
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@torch.jit.script
def positions(x: torch.Tensor) -> torch.Tensor:
    # --- stays
    steps = torch.arange(x.size(1), device=x.device, dtype=x.dtype)
    return x + steps + torch.zeros_like(x) + x.new_ones(1)
    # --- end


model = nn.Linear(3, 4).to(device)
x = torch.zeros(2, 3)  # moves
print(positions(model(x)).shape)
