import numpy as np
import torch
from torch import nn


def pick_device():
    if torch.backends.mps.is_available():
        return torch.device("mps")
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


def load(path=None, rows=120):
    """Stands in for np.loadtxt, which gives float64."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 5))
    y = x @ np.array([1.0, -2.0, 0.5, 0.0, 3.0]) + 0.1 * rng.normal(size=rows)
    return x, y[:, None]


class Standardize:
    def fit(self, x):
        self.mean, self.std = x.mean(axis=0), x.std(axis=0)
        return self

    def __call__(self, x):
        return (x - self.mean) / self.std


def minibatches(x, y, size, device):
    for start in range(0, len(x), size):
        inputs = torch.from_numpy(x[start:start + size]).to(device)
        targets = torch.from_numpy(y[start:start + size]).to(device)
        yield inputs.float(), targets.float()


def main():
    torch.manual_seed(0)
    device = pick_device()
    x, y = load()
    x = Standardize().fit(x)(x)
    model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(4):
        total = 0.0
        for inputs, targets in minibatches(x, y, 30, device):
            loss = nn.functional.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(inputs)
        print(f"epoch {epoch} mse {total / len(x):.4f}")


if __name__ == "__main__":
    main()
