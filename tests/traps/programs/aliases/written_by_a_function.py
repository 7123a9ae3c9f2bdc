# trap: a function writes its argument; a copy on the way in would be written in its place
# covers: alias
import torch
from torch import nn


def fill_(target, value):
    # --- stays
    target.fill_(value)
    target[0] = 0
    # --- end


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1, bias=False).to(device)
nn.init.ones_(model.weight)
buffer = torch.zeros(3)
fill_(buffer, 2.0)  # stays
print(model(buffer).item())
host = torch.zeros(3)  # stays
fill_(host, 5.0)  # stays
print(host.numpy().tolist())  # stays
