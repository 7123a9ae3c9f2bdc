
# case: a constructor moves one of two layers
# reports: DFX103
import torch
from torch import nn
torch.manual_seed(0)
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class M(nn.Module):
    def __init__(self): super().__init__(); self.a = nn.Linear(3, 4); self.b = nn.Linear(4, 2).to(dev)
    def forward(self, x): return self.b(self.a(x).to(dev))
m = M(); print(m(torch.ones(2, 3)).sum().item())

# case: a program moves the head of a model alone
# reports: DFX103
import torch
from torch import nn
torch.manual_seed(0)
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class M(nn.Module):
    def __init__(self): super().__init__(); self.enc = nn.Linear(3, 4); self.head = nn.Linear(4, 2)
    def features(self, x): return self.enc(x)
m = M(); m.head.to(dev)
f = m.features(torch.ones(5, 3)).detach(); o = torch.optim.SGD(m.head.parameters(), .1)
for i in range(2): l = m.head(f.to(dev)).pow(2).mean(); o.zero_grad(); l.backward(); o.step(); print(l.item())

# case: a guard moves the head of a model alone
# reports: DFX103
import torch
from torch import nn
torch.manual_seed(0)
class M(nn.Module):
    def __init__(self): super().__init__(); self.emb = nn.Embedding(5, 3); self.fc = nn.Linear(3, 2)
    def forward(self, ids):
        e = self.emb(ids)
        if torch.cuda.is_available(): e = e.cuda()
        return self.fc(e)
m = M()
if torch.cuda.is_available(): m.fc.cuda()
print(m(torch.tensor([1, 2])).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
class M(nn.Module):
    def __init__(self): super().__init__(); self.emb = nn.Embedding(5, 3); self.fc = nn.Linear(3, 2)
    def forward(self, ids):
        e = self.emb(ids)
        e = e.to(device)
        return self.fc(e)
m = M()
m.fc.to(device)
print(m(torch.tensor([1, 2])).sum().item())
