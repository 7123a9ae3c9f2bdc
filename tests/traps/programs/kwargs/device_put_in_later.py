# trap: the device is put into the keywords by a statement, or by a default
# covers: kwargs
import torch
from torch import nn


class Maker:
    def __init__(self, device, **kwargs):
        self.kwargs = kwargs
        self.kwargs["device"] = device

    def zeros(self, *size, **kwargs):
        return torch.zeros(*size, **{**self.kwargs, **kwargs})  # stays

    def ones(self, *size, **kwargs):
        kwargs.setdefault("device", self.kwargs["device"])
        return torch.ones(*size, **kwargs)  # stays


run_on = torch.device("cuda" if torch.cuda.is_available() else "cpu")
make = Maker(run_on, dtype=torch.float32)
model = nn.Linear(2, 2).to(run_on)
print(model(make.zeros(1, 2) + make.ones(1, 2)).shape)  # stays
print(model(torch.ones(1, 2)).shape)  # moves
