# moves
# choices: 2
import numpy as np
import torch
from choice import is_
class Box:
    def __init__(self):
        self.z = np.zeros((2, 3), dtype="float32") if is_(0) else torch.ones(2, 3)
    def tensor(self):
        if isinstance(self.z, np.ndarray):
            return torch.from_numpy(self.z)
        return self.z
model = torch.nn.Linear(3, 3)
print(model(Box().tensor()).sum().item())
