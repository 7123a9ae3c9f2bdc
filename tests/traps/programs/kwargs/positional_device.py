# trap: the device is there, but not where one looks: positional, or under another name
# covers: kwargs carried moved-later
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
# --- stays
a = torch.ones(2, 3).to(torch.float32).to(device)
b = torch.zeros(2, 3).to(device, torch.float32)
c = torch.ones(2, 3).to(a)
d = torch.ones(2, 3).type_as(b)
e = a.new_full((2, 3), 0.5)
f = torch.rand_like(a, dtype=torch.float32)
g = torch.asarray([[1.0, 2.0, 3.0]], device=device)
# --- end
h = torch.ones(2, 3)  # moves
print(model(a + b + c + d + e + f + g + h).shape)
