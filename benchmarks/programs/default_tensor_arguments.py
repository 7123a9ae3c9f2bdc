import torch
from torch import nn


def blur(x, kernel=torch.tensor([0.25, 0.5, 0.25]).view(1, 1, 3)):
    return nn.functional.conv1d(x, kernel, padding=1)


def weighted(loss, w=None, cache={}):
    if w is None:
        n = loss.shape[0]
        if n not in cache:
            cache[n] = torch.linspace(1, 2, n)
        w = cache[n]
    return (loss * w).mean()


def clip(x, low=-1.0, high=torch.tensor(1.0)):
    return torch.min(torch.max(x, torch.tensor(low)), high)


torch.manual_seed(0)
net = nn.Conv1d(1, 1, 3, padding=1)
opt = torch.optim.SGD(net.parameters(), lr=0.2)
x = torch.randn(4, 1, 9)
for i in range(4):
    y = blur(x)
    per = (clip(net(x)) - y).pow(2).mean((1, 2))
    loss = weighted(per)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, "%.6f" % loss.item())
print(weighted(torch.ones(2)).item(), weighted(torch.ones(2), torch.tensor([2.0, 4.0])).item(),
      blur(torch.ones(1, 1, 3), torch.ones(1, 1, 3)).tolist())
