import torch
import torch.nn as nn
from torch import autograd, optim

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

LATENT = 8
LAMBDA = 10.0


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(LATENT, 64), nn.ReLU(), nn.Linear(64, 2))

    def forward(self, z):
        return self.net(z)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


def gradient_penalty(critic, real, fake):
    alpha = torch.rand(real.size(0), 1, device=real.device).expand_as(real)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    scores = critic(mixed)
    grad = autograd.grad(
        outputs=scores,
        inputs=mixed,
        grad_outputs=torch.ones_like(scores),
        create_graph=True,
    )[0]
    return LAMBDA * ((grad.norm(2, dim=1) - 1) ** 2).mean()


def real_batch(size):
    angle = torch.rand(size) * 6.2832
    return torch.stack([angle.cos(), angle.sin()], dim=1)


if __name__ == "__main__":
    torch.manual_seed(3)
    generator = Generator().to(device)
    critic = Critic().to(device)
    opt_g = optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    opt_c = optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
    for step in range(6):
        for _ in range(3):
            real = real_batch(64).to(device)
            fake = generator(torch.randn(64, LATENT, device=device)).detach()
            loss_c = critic(fake).mean() - critic(real).mean()
            loss_c = loss_c + gradient_penalty(critic, real, fake)
            opt_c.zero_grad()
            loss_c.backward()
            opt_c.step()
        loss_g = -critic(generator(torch.randn(64, LATENT, device=device))).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        print(f"step {step}: critic {loss_c.item():.4f} generator {loss_g.item():.4f}")
