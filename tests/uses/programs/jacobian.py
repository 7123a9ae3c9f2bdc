# moves
import torch
model = torch.nn.Linear(3, 2)
print(model(torch.ones(2, 3)).sum().item())
j = torch.autograd.functional.jacobian(lambda x: model(x), torch.ones(3))
print(j.sum().item())
