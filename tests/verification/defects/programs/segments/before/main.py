"""Segmentation of small pictures; each epoch writes a row of a CSV file."""
import csv

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def conv(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU())


class Segmenter(nn.Module):
    def __init__(self, kinds=3):
        super().__init__()
        self.top, self.low = conv(1, 6), conv(6, 8)
        self.out = nn.Conv2d(14, kinds, 1)

    def forward(self, x):
        top = self.top(x)
        low = F.interpolate(self.low(F.max_pool2d(top, 2)), scale_factor=2)
        return self.out(torch.cat([top, low], dim=1))


def pictures(count):
    masks = torch.zeros(count, 12, 12, dtype=torch.long)
    for mask, row, column in zip(masks, torch.randint(8, (count,)).tolist(), torch.randint(8, (count,)).tolist()):
        mask[row : row + 4] = 1
        mask[:, column : column + 3] = 2
    return TensorDataset((masks.float() + 0.3 * torch.randn(count, 12, 12))[:, None], masks)


def overlaps(scores, masks, kinds=3):
    guessed = scores.argmax(dim=1)
    inter = torch.stack([((guessed == k) & (masks == k)).sum() for k in range(kinds)])
    union = torch.stack([((guessed == k) | (masks == k)).sum() for k in range(kinds)])
    return inter / union.clamp(min=1)


def main():
    torch.manual_seed(58)
    loader = DataLoader(pictures(48), batch_size=16, shuffle=True)
    images, masks = pictures(12).tensors
    model = Segmenter()
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([0.5, 1.0, 2.0]))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, threshold=0.3)
    with open("metrics.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["epoch", "loss", "empty", "rows", "columns"])
        writer.writeheader()
        for epoch in range(4):
            model.train()
            total = torch.zeros(())
            for image, mask in loader:
                loss = criterion(model(image), mask)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.detach()
            model.eval()
            with torch.no_grad():
                empty, rows, columns = overlaps(model(images), masks).tolist()
            scheduler.step(total)
            values = [epoch, f"{total.item():.5f}", *(f"{v:.4f}" for v in (empty, rows, columns))]
            writer.writerow(dict(zip(writer.fieldnames, values)))


if __name__ == "__main__":
    main()
