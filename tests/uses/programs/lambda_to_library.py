# moves
import torch
import unseen
model = torch.nn.Linear(3, 2)
x = torch.ones(4, 3)
print(model(x).sum().item())
print(unseen.run(lambda: model(torch.ones(2, 3)).sum().item()))
