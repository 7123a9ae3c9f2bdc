# trap: class weights that a criterion keeps as a buffer, and the criterion moves
# covers: buffer
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = torch.tensor([0.2, 0.8])  # stays
criterion = nn.CrossEntropyLoss(weight=weights).to(device)  # stays
model = nn.Linear(3, 2).to(device)
x = torch.ones(4, 3)  # moves: x = torch.ones(4, 3, device=device)
y = torch.tensor([0, 1, 1, 0])  # moves: y = torch.tensor([0, 1, 1, 0], device=device)
print(criterion(model(x), y).item() > 0)
