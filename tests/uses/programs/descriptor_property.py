# moves
import torch
class Net:
    def __init__(self):
        self._m = torch.nn.Linear(3, 2)
    @property
    def model(self):
        return self._m
    def __getitem__(self, x):
        return self.model(x)
    def __call__(self, x):
        return self[x]
n = Net()
print(n.model(torch.ones(2, 3)).sum().item())
print(n(torch.zeros(2, 3)).sum().item(), n[torch.ones(1, 3)].sum().item())
