# trap: a failing move is caught, and something is said
# covers: guard
import torch
from torch import nn

model = nn.Linear(2, 1)
try:  # stays
    model.cuda()  # stays
except (AssertionError, RuntimeError):  # stays
    print("no CUDA here")  # stays
print(sum(p.numel() for p in model.parameters()))  # stays
