# choices: 2
import torch
import unseen
from choice import is_
model = torch.nn.Linear(3, 2)
def local(t):
    return t * 2
f = local if is_(0) else unseen.hold(lambda t: t + torch.ones(2))
print(f(model(torch.ones(4, 3))).sum().item())
