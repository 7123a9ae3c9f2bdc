# trap: a decorator hands on exactly what it knows; another argument is a TypeError
# covers: threading cache
import torch
from torch import nn

from noise import grid, smooth, steps

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 1).to(device)
print(model(smooth(4)).shape, model(grid(4)).shape, model(steps(4).to(device)).shape)  # moves
