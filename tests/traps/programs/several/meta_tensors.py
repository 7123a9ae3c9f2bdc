# trap: tensors of the device `meta` have no memory; they are nowhere on purpose
# covers: several-devices on-purpose
import torch
from torch import nn

# --- stays
with torch.device("meta"):
    sketch = nn.Linear(1000, 1000)
shape = sketch(torch.empty(2, 1000, device="meta")).shape
count = sum(p.numel() for p in sketch.parameters())
print(shape, count, torch.zeros(3, device="meta").is_meta)
# --- end
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 2, device="meta").to_empty(device=device)  # stays
nn.init.zeros_(model.weight)
print(model(torch.ones(1, 2)).shape)  # moves
