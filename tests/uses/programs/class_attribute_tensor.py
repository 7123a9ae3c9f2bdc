# moves
import torch
class Cfg:
    mean = torch.ones(3)
    std = torch.full((3,), 2.0)
model = torch.nn.Linear(3, 2)
x = (torch.zeros(2, 3) - Cfg.mean) / Cfg.std
print(model(x).sum().item())
