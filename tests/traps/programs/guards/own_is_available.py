# trap: `is_available` of the program itself
# covers: guard names
import torch
from torch import nn


class gpu:
    @staticmethod
    def is_available():
        return "no"


def is_available():
    return False


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
label = "none"
if gpu.is_available():  # stays
    label = gpu.is_available()
if is_available():  # stays
    label = label.upper()
print(label, model(torch.ones(1, 2)).shape)  # moves
