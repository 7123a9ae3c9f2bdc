# moves
import torch
model = torch.nn.Linear(3, 1)
xs = [torch.full((3,), float(i)) for i in range(3)]
print(model(torch.ones(3)).item())
best = max(xs, key=lambda v: model(v).item())
print(best.tolist())
