# trap: the model moves below; until then it is on the host, and so has its input to be
# covers: timing
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
print(model(torch.zeros(1, 3)).shape)  # stays
model.to(device)
print(model(torch.ones(1, 3)).shape)  # moves: print(model(torch.ones(1, 3, device=device)).shape)
