# moves
# choices: 2
import torch
from choice import is_
model = torch.nn.Linear(3, 2)
def get():
    if is_(0):
        return torch.ones(2, 3)
    return torch.ones(2, 3), torch.zeros(2)
out = get()
if isinstance(out, tuple):
    x, y = out
else:
    x, y = out, torch.ones(2)
print((model(x) + y).sum().item())
