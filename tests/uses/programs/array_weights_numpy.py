# choices: 2
import numpy as np
import torch
from choice import is_
model = torch.nn.Linear(3, 2)
out = model(torch.ones(2, 3)).detach()
w = np.ones(2, dtype=np.float32) if is_(0) else torch.ones(2)
print((out * w).sum().item())
