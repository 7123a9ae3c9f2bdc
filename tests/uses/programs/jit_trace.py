# moves
import torch
model = torch.nn.Linear(3, 2)
print(model(torch.ones(2, 3)).sum().item())
traced = torch.jit.trace(model, torch.ones(1, 3))
print(traced(torch.zeros(2, 3)).sum().item())
