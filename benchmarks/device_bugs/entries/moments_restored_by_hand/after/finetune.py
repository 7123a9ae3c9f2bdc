import os
import tempfile

import torch
import torch.nn as nn

from momentum import MomentumSGD

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def new_model():
    torch.manual_seed(7)
    return nn.Sequential(nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 2)).to(device)


def batch(seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(32, 6, generator=generator)
    return x.to(device), (x.sum(1) > 0).long().to(device)


def run(model, optimizer, seeds):
    for seed in seeds:
        x, y = batch(seed)
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"after {seeds[-1] + 1} batches: {loss.item():.4f}")


def main(path):
    model = new_model()
    optimizer = MomentumSGD(model.parameters(), lr=0.05)
    run(model, optimizer, range(0, 6))
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)

    model = new_model()
    optimizer = MomentumSGD(model.parameters(), lr=0.05)
    checkpoint = torch.load(path, map_location="cpu")
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    run(model, optimizer, range(6, 12))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(os.path.join(folder, "last.pt"))
