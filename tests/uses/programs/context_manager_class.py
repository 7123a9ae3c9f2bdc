# moves
import torch
class Swap:
    def __init__(self, m): self.m = m
    def __enter__(self): return self.m(torch.ones(1, 3))
    def __exit__(self, *a): self.last = self.m(torch.zeros(1, 3))
model = torch.nn.Linear(3, 2)
with Swap(model) as out:
    print(out.sum().item())
print(model(torch.ones(2, 3)).sum().item())
