"""Entry of a program of several files: ``python train.py --epochs 4``."""
import argparse

import torch
from torch.utils.data import DataLoader

from data import Flowers
from flowers.metrics import confusion
from flowers.model import Committee


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=0.02)
    return parser.parse_args()


def run_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for features, kinds in loader:
        loss = model.loss(features, kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(kinds)
    return total / len(loader.dataset)


def main():
    options = parse()
    torch.manual_seed(17)
    training, held_back = Flowers(120, seed=1), Flowers(60, seed=2)
    loader = DataLoader(training, batch_size=30, shuffle=True)
    model = Committee(4, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=options.rate)
    for epoch in range(options.epochs):
        print(f"{epoch}: {run_epoch(model, loader, optimizer):.6f}")
    table = confusion(model, DataLoader(held_back, batch_size=60), 3)
    print(table)
    print("right:", table.diagonal().sum() / table.sum())


if __name__ == "__main__":
    main()
