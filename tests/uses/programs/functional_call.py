# moves
import torch
from torch.func import functional_call
model = torch.nn.Linear(3, 2)
print(model(torch.ones(2, 3)).sum().item())
params = {k: v.detach().clone() for k, v in model.named_parameters()}
print(functional_call(model, params, (torch.zeros(1, 3),)).sum().item())
