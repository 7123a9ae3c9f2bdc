# trap: `out=` decides where `arange` writes; a device beside it is a second answer
# covers: arange-out
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Embedding(8, 3).to(device)
# --- stays
index = torch.arange(0, 4, out=torch.empty(4, dtype=torch.int64, device=device))
host = torch.arange(0, 4, out=torch.LongTensor(4))
total = torch.zeros(0)
torch.cumsum(torch.ones(4), 0, out=total)
print([int(k) for k in host], total.tolist())
# --- end
print(model(index).shape)  # stays
print(model(torch.tensor([1, 2])).shape)  # moves
