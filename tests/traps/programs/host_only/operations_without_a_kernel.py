# trap: operations that no device has: histograms, `apply_`, `map_`
# covers: host-only
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 4).to(device)
nn.init.eye_(model.weight)
nn.init.zeros_(model.bias)
values = torch.linspace(0, 1, 4)
with torch.no_grad():
    scores = model(values.to(device))
# --- stays
counts, edges = torch.histogram(torch.linspace(0, 1, 9), bins=4)
squares = torch.arange(4.0).apply_(lambda v: v * v)
mixed = torch.zeros(4).map_(squares, lambda a, b: a - b)
# --- end
print(counts.tolist(), squares.tolist(), mixed.tolist(), scores.shape)
