# choices: 2
import torch
import unseen
from choice import is_
if is_(0):
    model = torch.nn.Linear(3, 2)
else:
    model = unseen.hold(torch.nn.Linear(3, 2))
print(model(torch.ones(4, 3)).sum().item())
