# trap: a pointer into a tensor is handed to code in C: it has to be one of the host
# covers: host-only alias
import ctypes

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1, bias=False).to(device)
nn.init.ones_(model.weight)
# --- stays
source, target = torch.arange(3.0), torch.zeros(3)
ctypes.memmove(target.data_ptr(), source.data_ptr(), 12)
# --- end
print(target.tolist(), model(target.to(device)).item())
