import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Generator(nn.Module):
    def __init__(self, latent=4, out=6):
        super().__init__()
        self.latent = latent
        self.net = nn.Sequential(nn.Linear(latent, 24), nn.ReLU(), nn.Linear(24, out))

    def forward(self, z):
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self, n_in=6):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))

    def forward(self, x):
        return self.net(x)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    G, D = Generator().to(device), Discriminator().to(device)
    g_opt = torch.optim.Adam(G.parameters(), lr=2e-3)
    d_opt = torch.optim.Adam(D.parameters(), lr=2e-3)
    mse = nn.MSELoss()
    data = TensorDataset(torch.randn(64, 6) * 0.5 + torch.arange(6.0))
    for epoch in range(3):
        for (batch,) in DataLoader(data, batch_size=16):
            valid = batch.new_ones(len(batch), 1)
            fake = batch.new_zeros(len(batch), 1)
            z = batch.new_empty(len(batch), G.latent).normal_()
            real = batch.to(device)
            generated = G(z.to(device))
            d_loss = (mse(D(real), valid) + mse(D(generated.detach()), fake)) / 2
            d_opt.zero_grad()
            d_loss.backward()
            d_opt.step()
            g_loss = mse(D(generated), valid)
            g_opt.zero_grad()
            g_loss.backward()
            g_opt.step()
        print(f"epoch {epoch} D {d_loss.item():.4f} G {g_loss.item():.4f}")


if __name__ == "__main__":
    main()
