# trap: a callback runs before the line that defines the device
# covers: names timing
import torch
from torch import nn

hooks = []


def on_start(function):
    hooks.append(function)
    return function


@on_start
def warm_up():
    probe = nn.Linear(2, 2)  # stays or: probe = nn.Linear(2, 2).to(device)
    return probe(torch.ones(1, 2)).shape  # stays or: return probe(torch.ones(1, 2, device=device)).shape


print([hook() for hook in hooks])  # stays
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
print(model(torch.ones(1, 2)).shape)  # moves: print(model(torch.ones(1, 2, device=device)).shape)
