# trap: a recursive helper moves whole batches; the constructors above it stay as they are
# covers: moved-later
import torch
from torch import nn


def to_device(value, device):
    # --- stays
    if torch.is_tensor(value):
        return value.to(device)
    if isinstance(value, dict):
        return {key: to_device(item, device) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(to_device(item, device) for item in value)
    return value
    # --- end


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
batch = {"x": torch.ones(2, 3), "y": [torch.tensor([0, 1]), "names"]}  # stays
batch = to_device(batch, device)  # stays
print(nn.functional.cross_entropy(model(batch["x"]), batch["y"][0]).item() > 0)  # stays
print(model(torch.zeros(1, 3)).shape)  # moves
