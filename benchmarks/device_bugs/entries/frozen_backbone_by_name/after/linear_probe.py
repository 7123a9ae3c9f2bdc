import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

import backbones


@torch.no_grad()
def extract(model, images):
    return F.normalize(model(images), dim=1)


def quadrants(count):
    """Images that are bright in one of four corners."""
    labels = torch.randint(0, 4, (count,))
    images = 0.5 * torch.rand(count, 3, 16, 16)
    for image, label in zip(images, labels.tolist()):
        row, column = divmod(label, 2)
        image[:, 8 * row:8 * row + 8, 8 * column:8 * column + 8] += 0.5
    return images, labels


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backbone", default="small")
    parser.add_argument("--steps", type=int, default=6)
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, width = backbones.get(args.backbone)
    model.to(device)
    probe = nn.Linear(width, 4).to(device)
    optimizer = torch.optim.SGD(probe.parameters(), lr=5.0)
    for step in range(args.steps):
        images, labels = quadrants(24)
        features = extract(model, images.to(device))
        logits = probe(features)
        loss = F.cross_entropy(logits, labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
