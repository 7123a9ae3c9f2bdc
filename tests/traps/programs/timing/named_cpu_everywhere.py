# trap: a program that says `cpu` at every place means it
# covers: on-purpose names
import torch
from torch import nn

device = torch.device("cpu")
model = nn.Linear(4, 2).to(device)
x = torch.ones(3, 4, device="cpu")
labels = torch.zeros(3, dtype=torch.long, device=device)
loss = nn.functional.cross_entropy(model(x), labels)
loss.backward()
print(tuple(model.weight.grad.shape), torch.zeros(2).to("cpu").sum().item())
