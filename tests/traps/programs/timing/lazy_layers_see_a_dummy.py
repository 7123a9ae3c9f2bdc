# trap: lazy layers are shown a dummy batch before the model moves
# covers: timing
import torch
from torch import nn


def build(shape, device):
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.LazyLinear(4))
    # --- stays
    dummy = torch.zeros(1, *shape)
    with torch.no_grad():
        model(dummy)
    # --- end
    return model.to(device)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = build((1, 6, 6), device)
    images = torch.rand(2, 1, 6, 6)  # moves
    print(model(images).shape)


main()
