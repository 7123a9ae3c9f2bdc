# moves
import torch
from net import Net
net = Net()
x = torch.ones(4, 3)
print(net(x, "b").sum().item())
