# trap: the helpers have a parameter `device` already, and it is the name of a machine
# covers: threading shadowed-device names
import torch
from torch import nn

from machines import readings, summary

run_on = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(run_on)
x = readings("pump", 3)
print(summary("pump", 2), model(x).shape, model(torch.ones(1, 3)).shape)  # moves
