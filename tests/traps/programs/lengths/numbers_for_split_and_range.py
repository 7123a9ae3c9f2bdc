# trap: lengths that become numbers for `split`, `range` and a slice
# covers: lengths linspace
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scores = nn.Linear(3, 1).to(device)
# --- stays
sizes = torch.tensor([2, 1, 4])
ends = torch.cumsum(sizes, 0)
# --- end
rows = torch.ones(int(ends[-1]), 3)  # moves
flat = scores(rows).squeeze(1)
# --- stays
parts = flat.split(sizes.tolist())
for k in range(len(sizes)):
    assert parts[k].numel() == sizes[k].item()
longest = int(sizes.max())
print([len(part) for part in parts], flat[: sizes[0]].shape, longest)
# --- end
