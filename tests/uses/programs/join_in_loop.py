# moves
import numpy as np
import torch
model = torch.nn.Linear(3, 3)
h = np.zeros((2, 3), dtype=np.float32)
for i in range(3):
    if isinstance(h, np.ndarray):
        h = torch.from_numpy(h)
    h = model(h)
print(h.sum().item())
