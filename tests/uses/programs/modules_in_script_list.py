# moves
import torch
from torch import nn
nets = [nn.Linear(3, 3) for _ in range(3)]
x = torch.ones(4, 3)
for n in nets:
    x = n(x)
loss = (x - torch.zeros(4, 3)).pow(2).mean()
print(loss.item())
