# trap: float64 on both sides; a `.float()` would break what runs
# covers: float64 numpy
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).double().to(device)  # stays
rows = np.linspace(0, 1, 12).reshape(4, 3)
x = torch.from_numpy(rows)  # moves: x = torch.from_numpy(rows).to(device)
print(model(x).dtype)  # stays
