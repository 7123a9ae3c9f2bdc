# trap: the `factory_kwargs` of layers that are built where they shall live
# covers: kwargs parameter
import torch
from torch import nn


class Scaled(nn.Module):
    # --- stays
    def __init__(self, size, device=None, dtype=None):
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.weight = nn.Parameter(torch.empty(size, size, **factory_kwargs))
        self.bias = nn.Parameter(torch.zeros(size, **factory_kwargs))
        self.norm = nn.LayerNorm(size, **factory_kwargs)
        nn.init.eye_(self.weight)

    def forward(self, x):
        return self.norm(x @ self.weight + self.bias)

    # --- end


run_on = torch.device("cuda" if torch.cuda.is_available() else "cpu")
layer = Scaled(3, device=run_on)  # stays
print(layer(torch.ones(2, 3)).shape)  # moves
