# trap: names that come with a star import; `device` is a string, `ones` a function of the program
# covers: names shadowed-device
import torch
from torch import nn

from settings import *

run_on = torch.device(device if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(run_on)
row = ones(3)
print(model(torch.tensor([row], device=run_on)).shape, cuda("x"))
