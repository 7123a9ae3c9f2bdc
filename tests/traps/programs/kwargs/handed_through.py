# trap: a helper hands its keywords on; some callers give a device, and one does not
# covers: kwargs
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def filled(value, *size, **kwargs):
    kwargs.setdefault("dtype", torch.float32)
    return torch.full(size, value, **kwargs)  # stays


model = nn.Linear(3, 2).to(device)
print(model(filled(1.0, 2, 3, device=device)).shape)  # stays
print(model(filled(2.0, 2, 3)).shape)  # moves
print(filled(3.0, 2).numpy().tolist())  # stays
