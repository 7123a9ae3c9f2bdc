import torch
import unseen
model = torch.nn.Linear(3, 2)
async def f(x):
    return model(x).sum().item()
print(model(torch.ones(1, 3)).sum().item())
print(unseen.wait(f(unseen.data())))
