import argparse

import torch
import torch.nn as nn


class Separator(nn.Module):
    """Splits a mixture of two signals with masks."""

    def __init__(self, channels=8):
        super().__init__()
        self.encoder = nn.Conv1d(1, channels, 8, stride=4)
        self.mask = nn.Conv1d(channels, 2 * channels, 1)
        self.decoder = nn.ConvTranspose1d(channels, 1, 8, stride=4)

    def forward(self, mix):
        w = torch.relu(self.encoder(mix))
        masks = torch.sigmoid(self.mask(w)).chunk(2, dim=1)
        return torch.cat([self.decoder(w * m) for m in masks], dim=1)


def sources(count, length=64):
    t = torch.linspace(0, 1, length)
    low = torch.sin(6.28 * t * torch.randint(1, 4, (count, 1)))
    high = torch.sin(6.28 * t * torch.randint(9, 14, (count, 1)))
    return torch.stack([low, high], dim=1)


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_ids", nargs="+", type=int, default=[0, 1])
    parser.add_argument("--force_cpu", action="store_true")
    parser.add_argument("--steps", type=int, default=6)
    return parser.parse_args(argv)


def main(args):
    torch.manual_seed(0)
    device = "cpu"
    if torch.cuda.is_available() and not args.force_cpu:
        device = f"cuda:{args.device_ids[0]}"
    model = Separator().to(device)
    if args.device_ids and not args.force_cpu:
        model = nn.DataParallel(model, device_ids=args.device_ids)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(args.steps):
        target = sources(8).to(device)
        loss = nn.functional.l1_loss(model(target.sum(1, keepdim=True)), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} l1 {loss.item():.4f}")


if __name__ == "__main__":
    main(parse_args())
