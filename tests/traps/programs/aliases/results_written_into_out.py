# trap: `out=` writes into a tensor that the host reads
# covers: alias arange-out
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
# --- stays
a, b = torch.arange(3.0), torch.ones(3)
total = torch.empty(3)
torch.add(a, b, out=total)
values, places = torch.empty(2), torch.empty(2, dtype=torch.long)
torch.topk(total, 2, out=(values, places))
print(total.numpy().tolist(), values.tolist(), places.tolist())
# --- end
x = torch.ones(1, 3)  # moves
print(model(x).shape)
