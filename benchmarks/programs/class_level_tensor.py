import torch
from torch import nn


class Prior:
    mean = torch.zeros(2)
    std = torch.ones(2)

    @classmethod
    def sample(cls, n):
        return torch.normal(cls.mean.expand(n, 2), cls.std.expand(n, 2))

    @staticmethod
    def kl(mu, logvar, beta=torch.tensor(0.5)):
        return beta * (-0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1)).mean()


class VAE(nn.Module):
    prior = Prior

    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(6, 4)
        self.dec = nn.Linear(2, 6)

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, 1)
        eps = self.prior.sample(x.size(0))
        return self.dec(mu + eps * (0.5 * logvar).exp()), mu, logvar


torch.manual_seed(0)
vae = VAE()
opt = torch.optim.Adam(vae.parameters(), 0.02)
data = torch.rand(10, 6)
for i in range(4):
    out, mu, logvar = vae(data)
    loss = (out - data).pow(2).sum(1).mean() + Prior.kl(mu, logvar)
    opt.zero_grad()
    loss.backward()
    opt.step()
    Prior.mean = Prior.mean * 0.9 + mu.detach().mean(0) * 0.1
    print(i, "%.6f" % loss.item(), [round(v, 5) for v in Prior.mean.tolist()])
print(vae.dec(Prior.sample(2)).mean().item())
