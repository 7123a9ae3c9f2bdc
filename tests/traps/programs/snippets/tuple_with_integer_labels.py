# trap: two arrays to tensors in one line: the second are labels, a `.float()` would corrupt them
# covers: integer-labels numpy
# needs: its fix, the rows are float64
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rows = np.linspace(0, 1, 12).reshape(4, 3)
kinds = np.array([0, 1, 1, 0])
model = nn.Linear(3, 2).to(device)
x, y = (
    torch.from_numpy(rows).to(device),  # moves: torch.from_numpy(rows).float().to(device),
    torch.from_numpy(kinds).to(device),  # stays
)
print(nn.functional.cross_entropy(model(x), y).item() > 0)  # stays
