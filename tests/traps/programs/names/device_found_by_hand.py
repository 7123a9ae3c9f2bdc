# trap: two ways to the host in one program: one chosen, one said
# covers: names on-purpose
import torch
from torch import nn


def pick(name=None):
    # --- stays
    if name is not None:
        return torch.device(name)
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")
    # --- end


device = pick()
slow = pick("cpu")  # stays
model, reference = nn.Linear(2, 1).to(device), nn.Linear(2, 1).to(slow)
reference.load_state_dict(model.state_dict())
print(reference(torch.ones(1, 2)).shape)  # stays
print(model(torch.ones(1, 2, device=device)).shape)  # stays
