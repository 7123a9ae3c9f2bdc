# trap: `getattr(x.cuda() if g else x, dtype)()`: the method is a string, the guard an argument
# covers: getattr-type
import torch
from torch import nn


def cast(params, dtype="float", g=False):
    if isinstance(params, dict):
        return {key: cast(value, dtype, g) for key, value in params.items()}
    return getattr(params.cuda() if g else params, dtype)()  # stays or: return getattr(params.to(device) if g else params, dtype)()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = cast({"w": torch.ones(2, 2), "n": torch.arange(2)}, "double", torch.cuda.is_available())
print(weights["w"].dtype, weights["n"].dtype, cast(torch.ones(1), "half").dtype)  # stays
model = nn.Linear(2, 2).to(device)
print(model(torch.ones(1, 2)).shape)  # moves
