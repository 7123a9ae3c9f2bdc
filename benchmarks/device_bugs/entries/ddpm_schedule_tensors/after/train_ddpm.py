import torch
import torch.nn as nn

from scheduler import LinearNoiseScheduler

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
CONFIG = {"num_timesteps": 50, "beta_start": 1e-4, "beta_end": 0.05, "batch": 32, "steps": 12}


class Denoiser(nn.Module):
    def __init__(self, dim=2, width=48):
        super().__init__()
        self.time = nn.Embedding(CONFIG["num_timesteps"], width)
        self.inp = nn.Linear(dim, width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, dim)

    def forward(self, x, t):
        h = torch.relu(self.inp(x) + self.time(t))
        return self.out(torch.relu(self.mid(h)))


def two_moons(n):
    angle = torch.rand(n) * 3.1416
    side = (torch.arange(n) % 2).float() * 2 - 1
    return torch.stack([angle.cos() + side / 2, side * angle.sin()], dim=1)


def train():
    scheduler = LinearNoiseScheduler(
        CONFIG["num_timesteps"], CONFIG["beta_start"], CONFIG["beta_end"], device=device
    )
    model = Denoiser().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(CONFIG["steps"]):
        x = two_moons(CONFIG["batch"]).to(device)
        noise = torch.randn_like(x)
        t = torch.randint(0, CONFIG["num_timesteps"], (len(x),)).to(device)
        noisy = scheduler.add_noise(x, noise, t)
        loss = nn.functional.mse_loss(model(noisy, t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % 4 == 0:
            print(f"step {step + 1} | loss {loss.item():.4f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    train()
