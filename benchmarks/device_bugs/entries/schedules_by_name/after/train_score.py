import argparse

import torch
import torch.nn as nn

from schedules import SCHEDULES, get_sigmas


class ScoreNet(nn.Module):
    def __init__(self, dim=2, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, width), nn.SiLU(), nn.Linear(width, dim))

    def forward(self, x, sigma):
        return self.net(torch.cat([x, sigma.log() / 4], dim=1)) / sigma


def train(name, steps, device):
    torch.manual_seed(0)
    sigmas = get_sigmas(name, 40).to(device)
    net = ScoreNet().to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(steps):
        x = torch.randn(64, 2, device=device) * torch.tensor([1.0, 0.2], device=device)
        t = torch.randint(0, len(sigmas), (64,), device=device)
        sigma = sigmas[t].unsqueeze(1)
        noise = torch.randn_like(x)
        loss = (sigma * net(x + sigma * noise, sigma) + noise).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--schedules", nargs="+", default=sorted(SCHEDULES), choices=sorted(SCHEDULES))
    parser.add_argument("--steps", type=int, default=6)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for name in args.schedules:
        print(f"{name:12} {train(name, args.steps, device):.4f}")
