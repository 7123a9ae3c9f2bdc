# trap: one script works on the device, the other on the host, through the same library
# covers: threading on-purpose
import numpy as np
import torch
from rows import score
from torch import nn

# --- stays
model = nn.Linear(2, 1).cpu()
nn.init.ones_(model.weight)
nn.init.zeros_(model.bias)
table = np.ones((3, 2), dtype=np.float32)
print(score(model, torch.from_numpy(table)))
print(model(torch.zeros(1, 2)).detach().numpy().tolist())
# --- end
