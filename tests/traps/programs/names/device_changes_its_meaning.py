# trap: `device` is assigned again; below, it names the host
# covers: names timing on-purpose
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
x = torch.ones(3, 2, device=device)
print(model(x).shape)
# --- stays
device = torch.device("cpu")
model = model.to(device)
y = torch.zeros(3, 2)
print(model(y).shape, torch.ones(2, device=device).numpy().tolist())
# --- end
