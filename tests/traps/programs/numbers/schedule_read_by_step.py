# trap: a schedule is read with `.item()` once per step, on the host
# covers: linspace on-purpose
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
# --- stays
steps = 4
betas = torch.linspace(1e-4, 0.02, steps)
kept = torch.cumprod(1.0 - betas, dim=0)
noise_levels = (1 - kept).sqrt()
# --- end
model = nn.Linear(3, 3).to(device)
x = torch.ones(2, 3)  # moves: x = torch.ones(2, 3, device=device)
for t in reversed(range(steps)):
    x = (x - noise_levels[t].item() * model(x)) / float(kept[t])  # stays
print(x.shape)
