# moves
import torch
from net import Net
net = Net([3, 4, 5])
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.ones(2, 3), torch.zeros(2, 1)
for _ in range(2):
    loss = torch.nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
