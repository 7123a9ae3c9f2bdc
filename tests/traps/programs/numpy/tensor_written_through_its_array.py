# trap: an array made of a tensor is written, and the tensor is read: one memory
# covers: numpy alias grad-view
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
# --- stays
table = torch.zeros(3, 2)
view = table.numpy()
view[1] = 7.0
np.add(view, 1.0, out=view)
# --- end
model = nn.Linear(2, 1, bias=False).to(device)
nn.init.ones_(model.weight)
print(model(table).sum().item())  # moves: print(model(table.to(device)).sum().item())
