"""A generator learns a ring of points from a discriminator."""
import time

import torch
from torch import nn

torch.manual_seed(8)


def real_points(count):
    angle = 6.2832 * torch.rand(count)
    return torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)


generator = nn.Sequential(nn.Linear(4, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 2))
discriminator = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2), nn.Dropout(0.2), nn.Linear(24, 1), nn.Sigmoid())
optimizer_g = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
criterion = nn.BCELoss()

size = 48
ones = torch.ones(size, 1)
zeros = torch.zeros(size, 1)
fixed_noise = torch.randn(5, 4)

for step in range(20):
    real = real_points(size)
    noise = torch.randn(size, 4)
    fake = generator(noise)

    optimizer_d.zero_grad()
    loss_d = criterion(discriminator(real), ones) + criterion(discriminator(fake.detach()), zeros)
    loss_d.backward()
    optimizer_d.step()

    optimizer_g.zero_grad()
    loss_g = criterion(discriminator(fake), ones)
    loss_g.backward()
    optimizer_g.step()
    if step % 5 == 4:
        print("[%d] D %.4f G %.4f" % (step + 1, loss_d.item(), loss_g.item()))

generator.eval()
with torch.no_grad():
    points = generator(fixed_noise)
print(points)
torch.save(generator.state_dict(), time.strftime("generator-%Y%m%d-%H%M%S.pt"))
