
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

# case: map() makes layers
import torch
from torch import nn
torch.manual_seed(0)
x = torch.ones(3)
for c in map(nn.Linear, (3, 4), (4, 2)): x = c(x)
print(x.sum().item())

# case: map() makes modules of the program
import torch
from torch import nn
torch.manual_seed(0)
class L(nn.Module):
    def __init__(self, n): super().__init__(); self.n = n; self.w = torch.ones(n)
    def forward(self, a, b): return ((a[..., :self.n] - b[..., :self.n]) * self.w).abs().mean()
class K:
    def __init__(self, n): self.n = n; self.w = torch.ones(n)
    def __call__(self, a, b): return ((a[..., :self.n] - b[..., :self.n]) * self.w).abs().mean()
net = nn.Linear(3, 4); x = torch.ones(2, 3); y = torch.zeros(2, 4)
cs = list(map(L, (2, 4))); l = sum(map(lambda c: c(net(x), y), cs))
print(l.item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
class L(nn.Module):
    def __init__(self, n): super().__init__(); self.n = n; self.w = torch.ones(n)
    def forward(self, a, b): return ((a[..., :self.n] - b[..., :self.n]) * self.w.to(a.device)).abs().mean()
class K:
    def __init__(self, n): self.n = n; self.w = torch.ones(n)
    def __call__(self, a, b): return ((a[..., :self.n] - b[..., :self.n]) * self.w).abs().mean()
net = nn.Linear(3, 4).to(device); x = torch.ones(2, 3, device=device); y = torch.zeros(2, 4, device=device)
cs = list(map(L, (2, 4))); l = sum(map(lambda c: c(net(x), y), cs))
print(l.item())

# case: a table of layers and functions
# reports: DFX101 DFX103
import torch
from torch import nn
torch.manual_seed(0)
ACT = {"relu": nn.ReLU, "prelu": nn.PReLU, "gelu": nn.GELU, "id": nn.Identity, "swish": lambda: (lambda x: x * x.sigmoid()), "lin": lambda: nn.Linear(2, 2)}
net = nn.Linear(3, 2)
for k in ("relu", "prelu", "swish", "lin"): print(ACT[k]()(net(torch.ones(3))).sum().item())
