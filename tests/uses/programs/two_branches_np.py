# moves
# choices: 2
import numpy as np
import torch
from choice import is_
model = torch.nn.Linear(3, 2)
if is_(0):
    z = torch.zeros(4, 3)
else:
    z = np.ones((4, 3), dtype=np.float32)
if not torch.is_tensor(z):
    z = torch.from_numpy(z)
print(model(z).sum().item())
