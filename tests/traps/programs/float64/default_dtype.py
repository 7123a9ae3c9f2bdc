# trap: the program's default is float64
# covers: float64 numpy
import numpy as np
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)  # stays
x = torch.from_numpy(np.linspace(0, 1, 8).reshape(4, 2)).to(device)  # stays
print(model(x).dtype, torch.zeros(1).dtype)  # stays
