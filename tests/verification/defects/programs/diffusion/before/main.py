"""Diffusion of two-dimensional points, with a slow copy of the weights that draws them."""
import copy

import torch
from torch import nn

STEPS = 10


class Schedule:
    def __init__(self, steps):
        betas = torch.linspace(0.02, 0.4, steps)
        self.betas = betas
        self.kept = torch.cumprod(1 - betas, dim=0)

    def noisy(self, x, noise, t):
        kept = self.kept[t][:, None]
        return kept.sqrt() * x + (1 - kept).sqrt() * noise


class Denoiser(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.time = nn.Embedding(STEPS, width)
        self.first = nn.Linear(2, width)
        self.last = nn.Linear(width, 2)

    def forward(self, x, t):
        return self.last(torch.relu(self.first(x) + self.time(t)))


def update(average, model, decay=0.8):
    with torch.no_grad():
        for slow, fast in zip(average.parameters(), model.parameters()):
            slow.mul_(decay).add_(fast, alpha=1 - decay)


def draw(average, schedule, start, noises):
    x = start
    with torch.no_grad():
        for step in reversed(range(STEPS)):
            t = torch.full((len(x),), step)
            beta, kept = schedule.betas[step], schedule.kept[step]
            x = (x - beta / (1 - kept).sqrt() * average(x, t)) / (1 - beta).sqrt()
            if step > 0:
                x = x + beta.sqrt() * noises[step]
    return x


def main():
    torch.manual_seed(55)
    schedule = Schedule(STEPS)
    model = Denoiser()
    average = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(12):
        angle = 6.2832 * torch.rand(64)
        x = torch.stack([angle.cos(), angle.sin()], dim=1)
        noise = torch.randn(64, 2)
        t = torch.randint(STEPS, (64,))
        loss = (model(schedule.noisy(x, noise, t), t) - noise).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        update(average, model)
    start, noises = torch.randn(20, 2), torch.randn(STEPS, 20, 2)
    drawn = draw(average, schedule, start, noises)
    torch.save({"average": average.state_dict(), "drawn": drawn}, "diffusion.pt")


if __name__ == "__main__":
    main()
