# moves
import torch
from torch import nn
class Stack(nn.Module):
    def __init__(self, *blocks):
        super().__init__()
        self.blocks = blocks
        self.out = nn.Linear(3, 1)
    def forward(self, x):
        for b in self.blocks:
            x = b(x)
        return self.out(x)
s = Stack(nn.Linear(3, 3), nn.Linear(3, 3))
opt = torch.optim.SGD(s.parameters(), lr=0.1)
for _ in range(2):
    loss = s(torch.ones(2, 3)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
