import tempfile
from pathlib import Path

import torch
import torch.nn as nn


class Regressor(nn.Module):
    def __init__(self, hidden=40):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, x):
        return self.layers(x).squeeze(-1)


def make_split(count, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(count, 4, generator=generator)
    return x, x.prod(dim=1) + x[:, 0]


def fit(model, x, y, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def export(model, path):
    torch.save(model, path)


def load(path, device):
    return torch.load(path, map_location=device, weights_only=False)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x, y = make_split(200, seed=1)
    model = Regressor().to(device)
    print(f"train mse {fit(model, x.to(device), y.to(device), steps=25):.5f}")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt"
        export(model, path)
        model = load(path, device)

    model.eval()
    x, y = make_split(100, seed=2)
    with torch.no_grad():
        error = (model(x.to(device)) - y.to(device)).abs()
    print(f"test mae {error.mean().item():.5f} max {error.max().item():.5f}")


if __name__ == "__main__":
    main()
