# trap: without CUDA the program works on less; the guard decides about more than the place
# covers: guard
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
x = torch.ones(8, 2)
if torch.cuda.is_available():  # stays
    model, x = model.cuda(), x.cuda()
else:
    x = x[:4]  # stays
half = x.cuda().half() if torch.cuda.is_available() else x.float()
print(model(x).shape, half.shape)
