import torch
from torch import nn
from utils import rows

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
print(model(rows(3)).shape, model(torch.zeros(1, 2)).shape)  # moves
