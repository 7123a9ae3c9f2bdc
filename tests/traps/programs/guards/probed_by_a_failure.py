# trap: whether a move fails is the program's way to ask for CUDA
# covers: guard
import torch
from torch import nn

# --- stays
try:
    probe = torch.zeros(1).cuda()
    has_cuda = True
except (AssertionError, RuntimeError):
    # --- end
    has_cuda = False
torch.manual_seed(0)
model = nn.Linear(2, 1)
x = torch.ones(3, 2)
if has_cuda:
    model, x = model.cuda(), x.cuda()
print(has_cuda == torch.cuda.is_available(), model(x).shape)
