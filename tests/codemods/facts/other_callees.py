
# case: a factory of torch or a function as an argument
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
def third(n): return torch.full((n,), .3)
def run(make): return net(torch.ones(3)) + make(2)
print(run(torch.zeros).sum().item(), run(third).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
def third(n): return torch.full((n,), .3, device=device)
def run(make): return net(torch.ones(3, device=device)) + make(2).to(device)
print(run(torch.zeros).sum().item(), run(third).sum().item())

# case: a table of factories and functions
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
def third(n): return torch.full((n,), .3)
F = {"ones": torch.ones, "c": third}
def build(kind): return F[kind](2)
print((net(torch.ones(3)) + build("c")).sum().item(), (net(torch.ones(3)) + build("ones")).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
def third(n): return torch.full((n,), .3, device=device)
F = {"ones": torch.ones, "c": third}
def build(kind): return F[kind](2).to(device)
print((net(torch.ones(3, device=device)) + build("c")).sum().item(), (net(torch.ones(3, device=device)) + build("ones")).sum().item())

# case: NumPy or torch
import numpy as np
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(3, 2)
for xp in (np, torch):
    a = xp.ones((2, 3)); print(float(a.sum()))
    b = torch.as_tensor(a, dtype=torch.float32); print(net(b).sum().item())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
for xp in (np, torch):
    a = xp.ones((2, 3)); print(float(a.sum()))
    b = torch.as_tensor(a, dtype=torch.float32, device=device).to(device); print(net(b).sum().item())
