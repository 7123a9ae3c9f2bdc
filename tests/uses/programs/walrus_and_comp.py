# moves
import torch
model = torch.nn.Linear(3, 2)
outs = [y for i in range(3) if (y := model(torch.ones(1, 3) * i)).sum() > -100]
print(torch.cat(outs).sum().item())
