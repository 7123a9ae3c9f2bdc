# trap: `with torch.device(...)` carries the factories in its body
# covers: carried
import torch
from torch import nn


class Bias(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.value = nn.Parameter(torch.zeros(size))  # stays

    def forward(self, x):
        return x + self.value


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with device:
        # --- stays
        model = nn.Sequential(nn.Linear(2, 2), Bias(2))
        x = torch.ones(3, 2)
        # --- end
    with torch.device(device):
        y = torch.full((3, 2), 0.5)  # stays
    z = torch.ones(3, 2)  # moves
    print(model(x + y + z).shape)


main()
