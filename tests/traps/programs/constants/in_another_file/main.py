# trap: a constant in another file, which both the host and the device side import
# covers: class-level
import torch
from torch import nn

from palette import MEAN, names

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Conv2d(3, 2, 1).to(device)
image = torch.zeros(1, 3, 2, 2, device=device)
print(model(image - MEAN.to(device).view(1, 3, 1, 1)).shape, names())
