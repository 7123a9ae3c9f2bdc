# case: a sum of losses
# reports: DFX505
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for x in [torch.ones(2, 3), torch.zeros(2, 3)]:
    loss = model(x.to(device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
print(total)

# case: read once, or now and then
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
total = torch.zeros((), device=device)
for step, x in enumerate([torch.ones(2, 3), torch.zeros(2, 3)]):
    loss = model(x.to(device)).pow(2).mean()
    total += loss.detach()
    if step % 100 == 0:
        print(loss.item())
    if step < 5:
        continue
    print(loss.item())
print(total.item(), [loss.item() for loss in (total, total)])

# case: tensors of the host
import torch

total = 0.0
for x in [torch.ones(2, 3), torch.zeros(2, 3)]:
    total += x.mean().item()
print(total)
