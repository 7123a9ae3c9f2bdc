# trap: drawn indices slice an array on the host; what they cut out moves
# covers: host-index numpy
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
np.arange(64, dtype=np.float32).tofile("rows.bin")
rows = np.memmap("rows.bin", dtype=np.float32, mode="r").reshape(16, 4)
model = nn.Linear(4, 1).to(device)
torch.manual_seed(0)
for step in range(2):
    index = torch.randperm(len(rows))[:3]  # stays
    weights = [1.0 / (1 + i) for i in index.tolist()]  # stays
    batch = torch.from_numpy(rows[index.numpy()])
    assert max(weights) <= 1.0
    print(model(batch).shape)
