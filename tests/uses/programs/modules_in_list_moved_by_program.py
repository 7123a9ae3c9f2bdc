# moves
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3) for _ in range(2)]
        for i, layer in enumerate(self.layers):
            self.add_module(f"layer{i}", layer)
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
net = Net()
print(net(torch.ones(4, 3)).sum().item())
