import torch
try:
    import nothere
    z = nothere.load()
except ImportError:
    z = torch.ones(2, 3)
model = torch.nn.Linear(3, 2)
print(model(z).sum().item())
