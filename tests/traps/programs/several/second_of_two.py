# trap: the index of an accelerator says which: `.cuda(1)` is not `.to(device)`
# covers: several-devices
# needs: cuda
import torch
from torch import nn

teacher = nn.Linear(3, 2).cuda(1)  # stays
student = nn.Linear(3, 2).cuda(0)
x = torch.ones(4, 3)
with torch.no_grad():
    wanted = teacher(x.cuda(1))  # stays
print(nn.functional.mse_loss(student(x.cuda(0)), wanted.cuda(0)).item())
