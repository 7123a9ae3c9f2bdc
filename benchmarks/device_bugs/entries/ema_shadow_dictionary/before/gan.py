import torch
import torch.nn as nn
import torch.nn.functional as F

from averaging import EMA

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers[:-1])


def main():
    torch.manual_seed(0)
    G, D = mlp(4, 24, 2).to(device), mlp(2, 24, 1).to(device)
    opt_g = torch.optim.Adam(G.parameters(), lr=2e-3, betas=(0.5, 0.99))
    opt_d = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.99))
    ema = EMA(mu=0.8)
    ema.register(G)
    for step in range(10):
        real = torch.randn(32, 2, device=device) * 0.2 + 1
        fake = G(torch.randn(32, 4, device=device))
        loss_d = F.softplus(-D(real)).mean() + F.softplus(D(fake.detach())).mean()
        opt_d.zero_grad()
        loss_d.backward()
        opt_d.step()
        loss_g = F.softplus(-D(fake)).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        ema.update(G)
    z = torch.randn(64, 4, device=device)
    print(f"d {loss_d.item():.4f} g {loss_g.item():.4f} mean {G(z).mean().item():.4f}")
    ema.apply(G)
    print(f"averaged mean {G(z).mean().item():.4f}")
    ema.restore(G)
    print(f"restored mean {G(z).mean().item():.4f}")


if __name__ == "__main__":
    main()
