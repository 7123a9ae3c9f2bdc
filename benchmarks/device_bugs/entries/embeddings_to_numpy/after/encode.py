import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Autoencoder(nn.Module):
    def __init__(self, n_in=12, n_latent=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(n_in, 32), nn.ReLU(), nn.Linear(32, n_latent))
        self.dec = nn.Sequential(nn.Linear(n_latent, 32), nn.ReLU(), nn.Linear(32, n_in))

    def forward(self, x):
        z = self.enc(x)
        return self.dec(z), z


def collect(model, loader, device):
    model.eval()
    latent = []
    with torch.no_grad():
        for (x,) in loader:
            _, z = model(x.to(device))
            latent.append(z.data.cpu().numpy())
    return np.vstack(latent)


def nearest(vectors, k=3):
    distances = np.linalg.norm(vectors[:, None] - vectors[None], axis=-1)
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, axis=1)[:, :k]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    basis = torch.randn(3, 12)
    data = TensorDataset(torch.randn(60, 3) @ basis)
    model = Autoencoder().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(args.epochs):
        for (x,) in DataLoader(data, batch_size=20):
            x = x.to(device)
            loss = nn.functional.mse_loss(model(x)[0], x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")
    vectors = collect(model, DataLoader(data, batch_size=20), device)
    print("shape", vectors.shape, "neighbours", nearest(vectors)[0].tolist())


if __name__ == "__main__":
    main()
