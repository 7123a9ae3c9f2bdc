# trap: `.to` of a class that converts units
# covers: user-to names
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
FACTORS = {"m": 1.0, "km": 1000.0, "cuda": 3.0}


class Length:
    def __init__(self, value, unit="m"):
        self.value, self.unit = value, unit

    def to(self, unit):
        return Length(self.value * FACTORS[self.unit] / FACTORS[unit], unit)

    def __repr__(self):
        return f"{self.value:g} {self.unit}"


# --- stays
walk = Length(2.5, "km").to("m")
walk.to("km")
print(walk, walk.to("cuda"), Length(6).to("cuda"))
# --- end
model = nn.Linear(1, 1).to(device)
print(model(torch.tensor([[walk.value]])).shape)  # moves
