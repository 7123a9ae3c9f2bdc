# trap: a row is a view of its table: written through the one, read through the other
# covers: alias
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1, bias=False).to(device)
nn.init.ones_(model.weight)
# --- stays
table = torch.zeros(2, 3)
row = table[0]
flat = table.view(-1)
for step in range(2):
    row += 1
    flat[5] = step
    print(table.numpy().tolist())
# --- end
print(model(table).sum().item())  # moves: print(model(table.to(device)).sum().item())
