from functools import partial, reduce

import torch
from torch import nn


def norm(x, scale, eps=1e-5, shift=None):
    mean, std = x.mean(0), x.std(0)
    out = (x - mean) / (std + eps) * scale
    if shift is not None:
        out = out + shift
    return out


def block(inp, out, act=nn.ReLU, bias=True):
    return nn.Sequential(nn.Linear(inp, out, bias=bias), act())


def noisy(x, sigma, generator=None):
    return x + sigma * torch.randn(x.shape, generator=generator)


torch.manual_seed(0)
make = partial(block, act=partial(nn.LeakyReLU, 0.2))
layers = [make(4, 8), make(8, 8, bias=False), nn.Linear(8, 1)]
g = torch.Generator().manual_seed(9)
steps = [partial(noisy, sigma=0.1, generator=g), partial(norm, scale=torch.tensor(2.0)), *layers]
forward = partial(reduce, lambda v, f: f(v), steps)
params = [p for l in layers for p in l.parameters()]
opt = partial(torch.optim.SGD, lr=0.05)(params)
x = torch.randn(10, 4)
y = x.prod(1, keepdim=True)
for i in range(4):
    loss = (forward(x) - y).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, f"{loss.item():.6f}")
