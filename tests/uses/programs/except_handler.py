# moves
import torch
model = torch.nn.Linear(3, 2)
bias = torch.ones(2)
def f(x):
    try:
        return model(x) + bias
    except KeyError as e:
        return bias
print(f(torch.ones(2, 3)).sum().item())
