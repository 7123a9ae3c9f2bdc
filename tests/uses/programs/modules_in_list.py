# moves
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3), nn.Linear(3, 3)]
        self.head = nn.Linear(3, 2)
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)
net = Net()
print(net(torch.ones(4, 3)).sum().item())
