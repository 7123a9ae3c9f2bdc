# case: the whole data, once per epoch
# reports: DFX504
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
x = torch.ones(8, 3)
for epoch in range(3):
    loss = model(x.to(device)).mean()
print(loss.item())

# case: the outer loop brings it, the inner one moves it
# reports: DFX504
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
for batch in [torch.ones(8, 3), torch.zeros(8, 3)]:
    for step in range(3):
        loss = model(batch.to(device)).mean()
print(loss.item())

# case: once per batch
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
for batch in [torch.ones(8, 3), torch.zeros(8, 3)]:
    batch = batch.to(device)
    for step in range(3):
        loss = model(batch).mean()
print(loss.item())

# case: where the loop ends
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3)
for step in range(3):
    if step == 2:
        print(x.to(device).sum().item())
        break

# case: the loop changes it
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x, y, z = torch.ones(3), torch.ones(3), torch.ones(3)
for step in range(3):
    print(x.to(device).sum().item(), y.to(device).sum().item(), z.to(device).sum().item())
    x = x * 2
    y.mul_(2)
    z[0] = step

# case: what the loop goes over is moved once
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rows = torch.ones(3, 2)
for row in rows.to(device):
    print(row.sum().item())

# case: it is there already
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3).to(device)
for step in range(3):
    print(x.to(device).sum().item())
