import copy

import torch
from torch import nn


class EMA:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.shadow = {k: v.clone().detach() for k, v in model.state_dict().items()}
        self.backup = None

    def update(self, model):
        for k, v in model.state_dict().items():
            if v.dtype.is_floating_point:
                self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)
            else:
                self.shadow[k] = v.clone()

    def swap(self, model):
        self.backup = copy.deepcopy(model.state_dict())
        model.load_state_dict(self.shadow)

    def restore(self, model):
        model.load_state_dict(self.backup)
        self.backup = None


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 1))
ema = EMA(net)
teacher = copy.deepcopy(net).eval()
for p in teacher.parameters():
    p.requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(16, 3)
for i in range(4):
    y = teacher(x) + 0.1 * torch.randn(16, 1)
    loss = (net(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.update(net)
    with torch.no_grad():
        for a, b in zip(teacher.parameters(), net.parameters()):
            a.copy_(a * 0.99 + b * 0.01)
    print(i, "%.7f" % loss.item())
ema.swap(net)
net.eval()
print("ema %.6f" % net(x).mean().item())
ema.restore(net)
print("net %.6f" % net(x).mean().item(), ema.backup)
