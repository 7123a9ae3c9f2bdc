# trap: `from_numpy(...).requires_grad_()`: the leaf is what the optimizer gets
# covers: leaf numpy
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
start = np.ones((2, 3), dtype=np.float32)
code = torch.from_numpy(start).requires_grad_()  # stays or: code = torch.from_numpy(start).to(device).requires_grad_()
optimizer = torch.optim.Adam([code], lr=0.1)  # stays
loss = model(code).pow(2).sum()
loss.backward()
optimizer.step()
print(code.is_leaf, code.grad is not None)  # stays
