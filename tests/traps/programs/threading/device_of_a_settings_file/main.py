# trap: a settings file has a `DEVICE` that is a machine, and a `gpu` that is a torch device
# covers: names shadowed-device
import torch
from torch import nn

import settings
from settings import DEVICE, gpu

model = nn.Linear(2, 1).to(gpu)
print(DEVICE.upper(), settings.device)  # stays
print(model(torch.ones(1, 2)).shape)  # moves: print(model(torch.ones(1, 2, device=gpu)).shape)
