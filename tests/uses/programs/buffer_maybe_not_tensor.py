# choices: 2
import torch
from choice import is_
class Net(torch.nn.Module):
    def __init__(self, weighted):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        self.scale = torch.ones(2) if weighted else 1.0
    def forward(self, x):
        return self.fc(x) * self.scale
net = Net(is_(0))
print(net(torch.ones(4, 3)).sum().item())
