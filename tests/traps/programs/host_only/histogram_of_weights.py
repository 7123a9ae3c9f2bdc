# trap: what goes to a histogram comes back to the host first
# covers: host-only
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(4, 2).to(device)
print(model(torch.ones(1, 4)).shape)  # moves
with torch.no_grad():
    flat = torch.cat([p.flatten() for p in model.parameters()]).cpu()  # stays
    counts, edges = torch.histogram(flat, bins=5)  # stays
    kept = flat.clone().apply_(lambda v: round(v, 2))  # stays
print(int(counts.sum()), len(edges), kept.shape)
