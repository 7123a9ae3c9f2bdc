import torch
import unseen
model = torch.nn.Linear(3, 2)
print(model(torch.ones(4, 3)).sum().item())
p = unseen.Pipeline(torch.nn.functional.relu, model)
print(p(torch.ones(4, 3)).sum().item())
