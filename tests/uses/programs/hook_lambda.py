# moves
import torch
model = torch.nn.Linear(3, 2)
kept = []
offset = torch.ones(2)
model.register_forward_hook(lambda m, i, o: kept.append(o + offset))
print(model(torch.ones(2, 3)).sum().item(), kept[0].sum().item())
