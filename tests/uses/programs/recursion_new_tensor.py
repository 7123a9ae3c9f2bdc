# moves
import torch
model = torch.nn.Linear(3, 3)
def f(x, n):
    if n == 0:
        return model(x)
    return f(torch.ones(2, 3) * n, n - 1)
print(f(torch.zeros(2, 3), 2).sum().item())
