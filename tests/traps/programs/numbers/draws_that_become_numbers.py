# trap: tensors that become Python numbers in the very expression
# covers: linspace
import random

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
names = ["ant", "bee", "cat"]
# --- stays
seed = int(torch.empty((), dtype=torch.int64).random_(1000).item())
random.seed(seed)
order = torch.randperm(3).tolist()
flip = torch.rand(1).item() < 0.5
chosen = names[torch.randint(0, 3, (1,)).item()]
width = round(float(torch.rand(1) * 4)) + 1
bins = tuple(torch.arange(0, 9, 3).numpy())
first = names[torch.multinomial(torch.ones(3), 1)]
count = len(torch.zeros(5))
shape = torch.empty(2, width, 4).shape
# --- end
model = nn.Linear(width, 2).to(device)
x = torch.ones(2, width)  # moves
print(model(x).shape, sorted(order), type(flip), chosen in names, first in names, bins, count, len(shape))
