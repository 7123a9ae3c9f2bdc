# trap: `torch.linspace(...).tolist()` makes Python numbers: a device would cost a synchronisation
# covers: linspace
import torch
from torch import nn


def build(size, depth, drop):
    # --- stays
    rates = torch.linspace(0, drop, depth).tolist()
    widths = torch.logspace(1, 2, depth, base=2).int().tolist()
    layers = []
    for rate, width in zip(rates, widths):
        layers += [nn.Linear(size, width), nn.Dropout(rate)]
        size = width
    # --- end
    return nn.Sequential(*layers)


model = build(3, 3, 0.2).eval()
x = torch.ones(2, 3)  # moves
print(model(x).shape, [layer.p for layer in model if isinstance(layer, nn.Dropout)][:1])
