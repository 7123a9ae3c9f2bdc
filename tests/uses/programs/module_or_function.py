# moves
# choices: 2
import torch
from choice import is_
act = torch.nn.PReLU() if is_(0) else torch.tanh
model = torch.nn.Linear(3, 2)
print(act(model(torch.ones(2, 3))).sum().item())
