# moves
import torch
from torch.utils.checkpoint import checkpoint
model = torch.nn.Linear(3, 2)
w = torch.ones(2)
def body(x):
    return model(x) * w
x = torch.ones(2, 3, requires_grad=True)
print(checkpoint(body, x, use_reentrant=False).sum().item())
print(body(torch.zeros(1, 3)).sum().item())
