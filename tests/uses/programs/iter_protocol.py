# moves
import torch
class Batches:
    def __init__(self, n): self.n = n
    def __iter__(self):
        for i in range(self.n):
            yield torch.ones(2, 3) * i
model = torch.nn.Linear(3, 2)
for x in Batches(3):
    print(model(x).sum().item())
