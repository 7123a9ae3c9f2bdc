from collections import defaultdict
import torch
class Meter:
    def __init__(self):
        self.total = torch.zeros(2)
    def update(self, v):
        self.total += v
        return self
meters = defaultdict(Meter)
model = torch.nn.Linear(3, 2)
for i in range(3):
    out = model(torch.ones(4, 3) * i)
    meters["a"].update(out.detach().mean(0))
print(meters["a"].total.sum().item())
