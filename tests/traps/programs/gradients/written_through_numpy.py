# trap: `p.grad.numpy()` is written through; behind `.cpu()` the clipping would be lost
# covers: grad-view
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    model(torch.ones(4, 3)).pow(2).sum().backward()
    for p in model.parameters():
        p.grad.numpy()[:] = np.clip(p.grad.numpy(), -0.01, 0.01)
    optimizer.step()
print(max(p.grad.abs().max().item() for p in model.parameters()) <= 0.01)
