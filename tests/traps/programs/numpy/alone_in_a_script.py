# trap: a script of tensors and arrays with no model and no heavy arithmetic
# covers: numpy linspace
import numpy as np
import torch

grid = torch.linspace(0, 1, 11)
curve = torch.sin(grid * np.pi)
area = np.trapezoid(curve.numpy(), grid.numpy())
table = torch.stack([grid, curve], dim=1).numpy()
back = torch.as_tensor(table[:, 1])
print(round(float(area), 3), torch.equal(back, curve), np.abs(table).max().round(3))
