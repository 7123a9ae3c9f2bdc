from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2 = nn.Linear(1, 12), nn.Linear(12, 1)

    def forward(self, x, weights=None):
        w = weights if weights is not None else OrderedDict(self.named_parameters())
        h = torch.tanh(F.linear(x, w["l1.weight"], w["l1.bias"]))
        return F.linear(h, w["l2.weight"], w["l2.bias"])


class Sines:
    def __init__(self, seed):
        self.g = torch.Generator().manual_seed(seed)

    def sample(self, k=5):
        amplitude = torch.rand(1, generator=self.g) * 4 + 0.1
        phase = torch.rand((), generator=self.g) * 3.14
        x = torch.rand(k, 1, generator=self.g) * 10 - 5
        return x, amplitude * torch.sin(x + phase)


def adapt(net, x, y, lr=0.05, steps=2):
    fast = OrderedDict(net.named_parameters())
    for _ in range(steps):
        loss = F.mse_loss(net(x, fast), y)
        grads = torch.autograd.grad(loss, fast.values(), create_graph=True)
        fast = OrderedDict((n, p - lr * g) for (n, p), g in zip(fast.items(), grads))
    return fast


torch.manual_seed(0)
net, tasks = Net(), Sines(1)
meta = torch.optim.Adam(net.parameters(), 0.01)
for it in range(4):
    outer = torch.zeros(())
    for _ in range(2):
        x, y = tasks.sample()
        fast = adapt(net, x, y)
        xq, yq = tasks.sample()
        outer = outer + F.mse_loss(net(xq, fast), yq)
    meta.zero_grad()
    outer.backward()
    meta.step()
    print(it, "%.6f" % outer.item())
