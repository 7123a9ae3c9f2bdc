# choices: 2
import torch
import unseen
from choice import is_
model = torch.nn.Linear(3, 2)
if is_(0):
    z = torch.zeros(4, 3)
else:
    z = unseen.data()
print(model(z).sum().item())
