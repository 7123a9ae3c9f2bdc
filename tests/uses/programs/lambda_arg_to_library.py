# moves
import torch
import unseen
import numpy as np
model = torch.nn.Linear(3, 2)
x = torch.ones(4, 3)
print(model(x).sum().item())
print(unseen.minimize(lambda w: model(torch.as_tensor(w, dtype=torch.float32)).sum().item(), [1.0, 2.0, 3.0]))
