# trap: a local device is bound below, and a function inside runs before and after that
# covers: names shadowed-device
import torch
from torch import nn


def main():
    def ramp(count):
        return torch.arange(count, dtype=torch.float32)  # stays

    probe = nn.Linear(2, 1)  # stays
    print(probe(ramp(2)).shape)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(2, 1).to(device)
    print(model(ramp(2)).shape, model(torch.ones(1, 2)).shape)  # moves: print(model(ramp(2).to(device)).shape, model(torch.ones(1, 2, device=device)).shape)


main()
