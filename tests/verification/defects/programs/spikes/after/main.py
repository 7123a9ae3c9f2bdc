"""A spiking layer with a gradient of its own, and a folder named by the time."""
import os
import time

import torch
from torch import nn


class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, potential):
        ctx.save_for_backward(potential)
        return (potential > 0).float()

    @staticmethod
    def backward(ctx, grad):
        (potential,) = ctx.saved_tensors
        return grad / (1 + potential.abs()) ** 2


def main():
    torch.manual_seed(75)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    layers = nn.ModuleList([nn.Linear(4, 12), nn.Linear(12, 2)]).to(device)
    optimizer = torch.optim.Adamax(layers.parameters(), lr=0.05)
    x = torch.randn(16, 4).to(device)
    kinds = (x[:, 0] > x[:, 1]).long()
    for turn in range(5):
        charge, total = torch.zeros(16, 12, device=device), 0
        for tick in range(4):
            charge = 0.8 * charge + layers[0](x)
            fired = Spike.apply(charge - 0.5)
            charge = charge - fired.detach()
            total = total + layers[1](fired)
        loss = nn.functional.cross_entropy(total, kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    folder = time.strftime("run-%Y%m%d-%H%M%S")
    os.mkdir(folder)
    torch.save(layers.state_dict(), os.path.join(folder, "layers.pt"))


main()
