import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class VarianceSchedule:
    def __init__(self, steps=64):
        x = torch.linspace(0, 1, steps + 1)
        f = torch.cos((x + 0.008) / 1.008 * torch.pi / 2) ** 2
        self.alpha_bar = (f / f[0])[1:].clamp(min=1e-4)

    def q_sample(self, x0, t, noise):
        alpha_bar = self.alpha_bar[t].view(-1, 1, 1)
        return alpha_bar.sqrt() * x0 + (1 - alpha_bar).sqrt() * noise

    def snr_weight(self, t, gamma=5.0):
        snr = self.alpha_bar[t] / (1 - self.alpha_bar[t])
        return snr.clamp(max=gamma) / snr


def smooth(signal, width=9):
    kernel = torch.hann_window(width, device=signal.device).view(1, 1, -1)
    return nn.functional.conv1d(signal, kernel / kernel.sum(), padding=width // 2)


class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(1, width, 5, padding=2), nn.SiLU(), nn.Conv1d(width, 1, 5, padding=2))

    def forward(self, x):
        return self.body(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=16)
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(TensorDataset(torch.randn(64, 1, 80)), batch_size=args.batch_size)
    schedule = VarianceSchedule()
    model = Net().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        for (x0,) in loader:
            x0 = smooth(x0)
            t = torch.randint(0, 64, (len(x0),))
            noise = torch.randn_like(x0)
            xt = schedule.q_sample(x0, t, noise)
            weight = schedule.snr_weight(t)
            xt, noise, weight = xt.to(device), noise.to(device), weight.to(device)
            loss = ((model(xt) - noise).pow(2).mean((1, 2)) * weight).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.5f}")


if __name__ == "__main__":
    main()
