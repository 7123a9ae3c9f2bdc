
# case: a list of the parameters of a module
# reports: DFX101
import torch
from torch import nn
torch.manual_seed(0)
class M(nn.Module):
    def __init__(self): super().__init__(); self.a = nn.Parameter(torch.ones(3, 2)); self.b = nn.Parameter(torch.ones(2)); self.ws = [self.a, self.b]
    def forward(self, x): return x @ self.ws[0] + self.ws[1]
print(M()(torch.ones(3)).sum().item())

# case: an object has the weight of an embedding
# reports: DFX101 DFX103 DFX105
import torch
from torch import nn
torch.manual_seed(0)
class Dec:
    def __init__(self, w): self.w = w
    def __call__(self, h): return h @ self.w.t()
class LM(nn.Module):
    def __init__(self): super().__init__(); self.e = nn.Embedding(5, 4); self.d = Dec(self.e.weight)
    def forward(self, i): return self.d(self.e(i))
m = LM(); l = nn.functional.cross_entropy(m(torch.tensor([1, 2])), torch.tensor([2, 3])); l.backward(); print(l.item(), m.e.weight.grad.sum().item())

# case: an object has a parameter
# reports: DFX101
import torch
from torch import nn
torch.manual_seed(0)
class G:
    def __init__(self, mu): self.mu = mu
    def sample(self): return self.mu * 2
class BL(nn.Module):
    def __init__(self): super().__init__(); self.m = nn.Parameter(torch.ones(2, 3)); self.w = G(self.m)
    def forward(self, x): return nn.functional.linear(x, self.w.sample())
print(BL()(torch.ones(3)).sum().item())

# case: an attribute looks into an array that is written later
import numpy as np
import torch
from torch import nn

class Table:
    def __init__(self):
        self.rows = np.zeros((6, 3), dtype=np.float32)
        self.shown = torch.from_numpy(self.rows)

table = Table()
net = nn.Linear(3, 3)
out = net(table.shown)
table.rows[0] = 1
print(out.sum().item(), table.shown.sum().item())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Table:
    def __init__(self):
        self.rows = np.zeros((6, 3), dtype=np.float32)
        self.shown = torch.from_numpy(self.rows)

table = Table()
net = nn.Linear(3, 3).to(device)
out = net(table.shown.to(device))
table.rows[0] = 1
print(out.sum().item(), table.shown.sum().item())
