# trap: `requires_grad=True` and a generator: a transfer behind it is no leaf, and gets no gradient
# covers: leaf generator
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
generator = torch.Generator().manual_seed(1)
code = torch.randn(2, 3, generator=generator, requires_grad=True)  # stays
optimizer = torch.optim.SGD([code], lr=0.1)  # stays
for step in range(2):
    loss = model(code).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(code.is_leaf, code.grad is not None)  # stays
