import json

import numpy as np
import torch
import torch.nn as nn

from mixup import mixup

CONFIG = json.loads('{"epochs": 3, "batch_size": 8, "mixup_alpha": 1.0, "gpu_ids": [0]}')


def dice_loss(probability, target, eps=1.0):
    overlap = (probability * target).sum()
    return 1 - (2 * overlap + eps) / (probability.sum() + target.sum() + eps)


def discs(count, size=12):
    axis = torch.arange(size).float()
    centers = torch.randint(3, size - 3, (count, 2)).float()
    dx = axis[None, :, None] - centers[:, 0, None, None]
    dy = axis[None, None, :] - centers[:, 1, None, None]
    masks = (dx ** 2 + dy ** 2 < 8).float().unsqueeze(1)
    return masks + 0.4 * torch.randn_like(masks), masks


def main(config):
    torch.manual_seed(0)
    rng = np.random.RandomState(0)
    device = torch.device(f"cuda:{config['gpu_ids'][0]}" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1), nn.Sigmoid()
    ).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    images, masks = discs(32)
    for epoch in range(config["epochs"]):
        for start in range(0, len(images), config["batch_size"]):
            part = slice(start, start + config["batch_size"])
            x, y = images[part].to(device), masks[part].to(device)
            if config["mixup_alpha"]:
                x, y = mixup(x, y, config["mixup_alpha"], rng)
            loss = dice_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} dice loss {loss.item():.4f}")


if __name__ == "__main__":
    main(CONFIG)
