import argparse

import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self, latent=6, out=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(latent, 32), nn.GELU(), nn.Linear(32, out), nn.Sigmoid())

    def forward(self, z):
        return self.net(z)


class Sampler:
    """Draws the same latents for the same seed."""

    def __init__(self, model, latent, device, seed=0):
        self.model = model
        self.latent = latent
        self.device = device
        self.generator = torch.Generator(device=device)
        self.generator.manual_seed(seed)

    @torch.no_grad()
    def draw(self, n, truncation=1.0):
        z = torch.randn(n, self.latent, generator=self.generator, device=self.device)
        return self.model(z.clamp(-truncation, truncation))


def main(argv=None):
    parser = argparse.ArgumentParser(description="sample a decoder")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--truncation", type=float, default=1.5)
    args = parser.parse_args(argv)
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Decoder().to(device).eval()
    sampler = Sampler(model, 6, device, seed=args.seed)
    for batch in range(2):
        images = sampler.draw(args.count, args.truncation)
        print(f"batch {batch}: mean {images.mean().item():.4f} std {images.std().item():.4f}")


if __name__ == "__main__":
    main()
