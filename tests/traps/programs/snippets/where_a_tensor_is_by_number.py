# trap: `.cuda(t.get_device())` is -1 on the host; where `t` is has another name
# covers: cuda-get-device
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def shifted(t, offset):
    other = torch.full((t.size(1),), offset)
    if t.is_cuda:
        other = other.cuda(t.get_device())  # stays or: other = other.to(t.device)
    return t + other


model = nn.Linear(2, 2).to(device)
x = torch.ones(3, 2, device=device)
print(shifted(model(x), 1.0).shape, shifted(torch.zeros(1, 2), 2.0).tolist())  # stays
print(model(torch.zeros(1, 2)).shape)  # moves
