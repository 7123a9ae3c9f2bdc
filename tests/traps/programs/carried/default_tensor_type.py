# trap: a default tensor type of CUDA carries every later factory
# covers: default-type carried
import torch
from torch import nn

if torch.cuda.is_available():
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
else:
    torch.set_default_tensor_type("torch.FloatTensor")

model = nn.Linear(3, 2)  # stays
x = torch.ones(4, 3)  # stays
noise = torch.zeros(4, 3).uniform_()  # stays
print(model(x + noise).shape)  # stays
