# trap: `torch.set_default_device` carries every factory below it
# covers: carried default-type
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.set_default_device(device)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
x = torch.linspace(0, 1, 6).view(2, 3)
target = torch.zeros(2, 1)
loss = nn.functional.mse_loss(model(x), target + torch.ones(1))
loss.backward()
print(loss.item() > 0)
