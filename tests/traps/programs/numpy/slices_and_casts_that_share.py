# trap: a slice, a reshape and a cast to the dtype it has already share the array's memory
# covers: numpy alias
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1, bias=False).to(device)
nn.init.ones_(model.weight)
memory = np.zeros((3, 4), dtype=np.float32)
# --- stays
sliced = torch.from_numpy(memory[:1, :2])
shaped = torch.from_numpy(memory.reshape(6, 2))
same = torch.from_numpy(memory).float()
as_it_is = torch.as_tensor(memory, dtype=torch.float32)
# --- end
for step in range(2):
    memory += 1.0
    print(model(sliced).sum().item(), model(shaped).sum().item())  # moves
    print(model(same[:, :2]).sum().item(), model(as_it_is[:, 2:]).sum().item())  # moves
