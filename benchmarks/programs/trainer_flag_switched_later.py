# run:
# run: gpu
import sys

import torch
import torch.nn as nn


class Trainer:
    use_cuda = False

    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        self.losses = []

    def to_device(self):
        if self.use_cuda:
            self.net.cuda()
        else:
            self.net.cpu()

    def step(self, x, y):
        if self.use_cuda:
            x = x.cuda()
            y = y.cuda()
        loss = nn.functional.mse_loss(self.net(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss.item())
        return loss


torch.manual_seed(5)
t = Trainer(nn.Linear(3, 1))
x = torch.randn(10, 3)
y = x.sum(1, keepdim=True)
t.to_device()
t.step(x, y)
if len(sys.argv) > 1 and torch.cuda.is_available():
    t.use_cuda = True
t.to_device()
for _ in range(3):
    t.step(x, y)
t.use_cuda = False
t.to_device()
last = t.step(x, y)
print(["%.5f" % l for l in t.losses])
print((last.detach() + torch.ones(1)).item())
