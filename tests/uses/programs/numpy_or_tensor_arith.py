# choices: 2
import numpy as np
import torch
from choice import is_
model = torch.nn.Linear(3, 2)
w = np.float32(2.0) if is_(0) else torch.tensor(2.0)
print((model(torch.ones(2, 3)) * w).sum().item())
