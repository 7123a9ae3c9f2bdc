# trap: arrays are written by methods and functions that do not look like an assignment
# covers: numpy alias
import random

import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1, bias=False).to(device)
nn.init.ones_(model.weight)
# --- stays
filled, copied, added, sorted_, put = (np.ones((1, 2), dtype=np.float32) for _ in range(5))
a = torch.from_numpy(filled)
b = torch.from_numpy(copied)
c = torch.from_numpy(added)
d = torch.from_numpy(sorted_)
e = torch.from_numpy(put)
filled.fill(3.0)
np.copyto(copied, [[4.0, 5.0]])
np.add(added, 1.0, out=added)
sorted_[0, 0] = 9.0
sorted_.sort(axis=1)
np.put(put, [1], [7.0])
# --- end
for tensor in (a, b, c, d, e):
    print(model(tensor).item())  # moves
