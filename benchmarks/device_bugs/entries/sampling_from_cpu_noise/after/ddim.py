import math

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def timestep_embedding(t, dim):
    half = dim // 2
    freqs = torch.exp(-math.log(1000) * torch.arange(half, device=t.device) / half)
    args = t[:, None].float() * freqs[None]
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)


class Unet(nn.Module):
    def __init__(self, channels=8, emb=16):
        super().__init__()
        self.emb = emb
        self.inp = nn.Conv2d(1, channels, 3, padding=1)
        self.time = nn.Linear(emb, channels)
        self.mid = nn.Conv2d(channels, channels, 3, padding=1)
        self.out = nn.Conv2d(channels, 1, 3, padding=1)

    def forward(self, x, t):
        h = torch.relu(self.inp(x))
        h = h + self.time(timestep_embedding(t, self.emb))[:, :, None, None]
        return self.out(torch.relu(self.mid(h)))


@torch.no_grad()
def ddim_sample(model, shape, alphas_cumprod, steps):
    x = torch.randn(shape, device=device)
    times = torch.linspace(len(alphas_cumprod) - 1, 0, steps).long()
    for now, after in zip(times[:-1].tolist(), times[1:].tolist()):
        t = torch.full((shape[0],), now, device=device)
        eps = model(x, t)
        a, b = alphas_cumprod[now], alphas_cumprod[after]
        x0 = (x - (1 - a).sqrt() * eps) / a.sqrt()
        x = b.sqrt() * x0.clamp(-1, 1) + (1 - b).sqrt() * eps
    return x


def main():
    torch.manual_seed(0)
    model = Unet().to(device).eval()
    alphas_cumprod = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 100), dim=0)
    images = ddim_sample(model, (3, 1, 10, 10), alphas_cumprod, steps=6)
    for image in images:
        print(f"min {image.min().item():.4f} max {image.max().item():.4f} mean {image.mean().item():.4f}")


main()
