# moves
import torch
def norm(x, mean=torch.ones(3)):
    return x - mean
model = torch.nn.Linear(3, 2)
print(model(norm(torch.zeros(2, 3))).sum().item())
