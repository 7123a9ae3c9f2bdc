"""A variational autoencoder; what it made is in an npz file beside the program."""
import numpy as np
import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self, size=16, latent=2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, 24), nn.Tanh(), nn.Dropout(0.1))
        self.mean = nn.Linear(24, latent)
        self.logvar = nn.Linear(24, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, 24), nn.Tanh(), nn.Linear(24, size))

    def forward(self, x, noise):
        hidden = self.body(x)
        mean, logvar = self.mean(hidden), self.logvar(hidden)
        code = mean + torch.exp(0.5 * logvar) * noise
        return self.decoder(code), mean, logvar


def make_curves(count):
    phase = 6.2832 * torch.rand(count, 1)
    return torch.sin(torch.linspace(0, 6.2832, 16) + phase)


def elbo(restored, x, mean, logvar, weight):
    error = (restored - x).square().sum(dim=1).mean()
    divergence = -0.5 * (1 + logvar - mean.square() - logvar.exp()).sum(dim=1).mean()
    return error + weight * divergence


def main():
    torch.manual_seed(52)
    curves = make_curves(96)
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    history = []
    for epoch in range(6):
        for batch in curves.split(32):
            noise = torch.randn(len(batch), 2)
            restored, mean, logvar = model(batch, noise)
            loss = elbo(restored, batch, mean, logvar, weight=min(1.0, epoch / 4))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        history.append(loss.item())

    model.eval()
    with torch.no_grad():
        restored, mean, logvar = model(curves, torch.zeros(96, 2))
    np.savez(
        "codes.npz",
        codes=mean.numpy(),
        spread=logvar.exp().numpy(),
        worst=(restored - curves).abs().amax(dim=1).argsort(descending=True).numpy()[:5],
    )
    np.save("history.npy", np.array(history))


if __name__ == "__main__":
    main()
