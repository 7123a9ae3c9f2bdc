# trap: `zeros`, `ones` and `arange` of NumPy, of `math` and of the program
# covers: names numpy
from math import log as log

import numpy as np
import torch
from numpy import arange, ones, zeros
from torch import nn


def rand(count):
    return [k / count for k in range(count)]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
# --- stays
table = zeros((2, 3)) + ones(3) * arange(3)
table = np.concatenate([table, [rand(3)]])
weight = log(2.0)
# --- end
x = torch.tensor(table, dtype=torch.float32)  # moves
print(model(x).shape, round(weight, 3))
