# trap: `mse_loss` promotes a float64 target; a cast changes the digits that are printed
# covers: float64 numpy
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
x = torch.ones(4, 2, device=device)
target = torch.from_numpy(np.linspace(0, 1, 4).reshape(4, 1))  # moves: target = torch.from_numpy(np.linspace(0, 1, 4).reshape(4, 1)).to(device)
loss = nn.functional.mse_loss(model(x), target)
print(loss.dtype, (model(x) - target).abs().sum().dtype)
