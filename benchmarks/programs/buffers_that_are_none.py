import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, n, track=True, scale=None):
        super().__init__()
        self.track = track
        if track:
            self.register_buffer("mean", torch.zeros(n))
            self.register_buffer("count", torch.tensor(0))
        else:
            self.register_buffer("mean", None)
            self.register_buffer("count", None)
        self.scale = scale
        self.mask = None
        self.limits = (-3.0, 3.0)
        self.version = 2

    def forward(self, x):
        if self.mask is None or self.mask.shape != x.shape:
            self.mask = (torch.arange(x.shape[1]) % 2 == 0).expand_as(x)
        if self.track and self.training:
            self.mean = self.mean * 0.9 + x.detach().mean(0) * 0.1
            self.count += 1
        if self.mean is not None:
            x = x - self.mean
        if self.scale is not None:
            x = x * self.scale
        return torch.where(self.mask, x, x.clamp(*self.limits))


class Scales(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale
        self.norm = Norm(4, scale=scale)
        self.plain = Norm(4, track=False, scale=2)
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        return self.out(self.plain(self.norm(x)))


torch.manual_seed(0)
for scale in (None, 0.5, torch.tensor([1.0, 2.0, 3.0, 4.0])):
    m = Scales(scale)
    opt = torch.optim.SGD(m.parameters(), lr=0.05)
    for i in range(3):
        loss = m(torch.randn(6, 4) + 1).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    m.eval()
    print("%.6f" % loss.item(), m.norm.count.item(), sorted(m.state_dict()), "%.5f" % m(torch.ones(1, 4)).item())
