# moves
import torch
class Box: pass
a = Box(); a.y = torch.ones(3)
b = Box(); b.x = torch.zeros(3)
model = torch.nn.Linear(3, 3)
p, q = a, b
p, q = q.x, p.y
print((model(p) + q).sum().item())
