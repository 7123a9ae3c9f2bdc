import torch
model = torch.nn.Linear(3, 2)
print(model(torch.ones(2, 3)).sum().item())
f = torch.vmap(lambda x: model(x))
print(f(torch.zeros(4, 3)).sum().item())
