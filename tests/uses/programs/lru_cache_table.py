# moves
import functools
import torch
@functools.lru_cache(None)
def table(n):
    return torch.arange(n).float()
model = torch.nn.Linear(3, 2)
print((model(torch.zeros(2, 3)) + table(2)).sum().item(), table(2).tolist())
