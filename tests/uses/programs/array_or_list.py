# moves
# choices: 3
import numpy as np
import torch
from choice import is_
model = torch.nn.Linear(3, 2)
if is_(0):
    z = [1.0, 2.0, 3.0]
elif is_(1):
    z = np.ones(3, dtype=np.float32)
else:
    z = torch.zeros(3)
if not isinstance(z, torch.Tensor):
    z = torch.tensor(z)
print(model(z).sum().item())
