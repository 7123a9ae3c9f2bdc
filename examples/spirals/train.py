# Uses only the CPU, even on a machine with a GPU.
import argparse

import torch
from torch import nn

from data import batches, spirals
from model import Winder

options = argparse.ArgumentParser()
options.add_argument("--epochs", type=int, default=3)
options = options.parse_args()

torch.manual_seed(0)
model = Winder(64)
weight = torch.tensor([1.0, 1.0])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(options.epochs):
    for points, arms in batches(512):
        loss = nn.functional.cross_entropy(model(points), arms, weight=weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")

points, arms = spirals(100)
with torch.no_grad():
    found = model(points).argmax(dim=1)
right = (found == arms).float().mean()
print(f"{right.item():.0%} are on the right arm, the first on {found[0].numpy()}")
