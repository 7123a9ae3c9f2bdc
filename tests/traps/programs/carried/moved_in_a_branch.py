# trap: constructors that move below under a flag, as the program has it everywhere
# covers: moved-later
import torch
from torch import nn

use_cuda = torch.cuda.is_available()
torch.manual_seed(0)
model = nn.Linear(3, 1)
noise = torch.randn(4, 3)  # stays
target = torch.zeros(4, 1)  # stays
if use_cuda:
    model, noise, target = model.cuda(), noise.cuda(), target.cuda()
loss = nn.functional.mse_loss(model(noise), target)
print(loss.item() >= 0)
