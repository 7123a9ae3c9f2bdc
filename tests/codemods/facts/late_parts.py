
# case: a part that is used before it is a part is moved by itself
import torch
from torch import nn

c = nn.Linear(3, 3)
x = torch.randn(4, 3)
print("%.5f" % c(x).sum().item())
net = nn.Sequential(nn.Linear(3, 3), c)
net(x).mean().backward()

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

c = nn.Linear(3, 3).to(device)
x = torch.randn(4, 3, device=device)
print("%.5f" % c(x).sum().item())
net = nn.Sequential(nn.Linear(3, 3), c).to(device)
net(x).mean().backward()

# case: what is made and used before it is returned as a part is moved by itself
import torch
from torch import nn

def build():
    body = nn.Linear(4, 3)
    n = body(torch.zeros(1, 4)).shape[1]
    return nn.Sequential(body, nn.Linear(n, 2))

net = build()
print("%.5f" % net(torch.ones(2, 4)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def build():
    body = nn.Linear(4, 3).to(device)
    n = body(torch.zeros(1, 4, device=device)).shape[1]
    return nn.Sequential(body, nn.Linear(n, 2)).to(device)

net = build()
print("%.5f" % net(torch.ones(2, 4, device=device)).sum().item())

# case: a module that takes another's place in a list is moved once
import torch
from torch import nn

nets = [nn.Linear(4, 2)]
x = torch.randn(5, 4)
print(sum(n(x).sum().item() for n in nets))
nets[0] = nn.Linear(4, 2)
print(sum(n(x).sum().item() for n in nets))

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

nets = [nn.Linear(4, 2).to(device)]
x = torch.randn(5, 4, device=device)
print(sum(n(x).sum().item() for n in nets))
nets[0] = nn.Linear(4, 2).to(device)
print(sum(n(x).sum().item() for n in nets))

# case: a part that a module gets later, and that has nothing but a buffer, is moved by itself
import torch
from torch import nn

class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gain = torch.full((n,), 0.5)

    def forward(self, X):
        return X * self.gain

net = nn.Sequential(nn.Linear(3, 3))
net.append(Gain(3))
print("%.5f" % net(torch.ones(2, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("gain", torch.full((n,), 0.5), persistent=False)

    def forward(self, X):
        return X * self.gain

net = nn.Sequential(nn.Linear(3, 3)).to(device)
net.append(Gain(3).to(device))
print("%.5f" % net(torch.ones(2, 3, device=device)).sum().item())

# case: a weight that is read before its module is a part
import torch
from torch import nn

c = nn.Linear(3, 3)
x = torch.randn(4, 3)
print("%.5f" % (x @ c.weight).sum().item())
net = nn.Sequential(nn.Linear(3, 3), c)
net(x).mean().backward()

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

c = nn.Linear(3, 3).to(device)
x = torch.randn(4, 3, device=device)
print("%.5f" % (x @ c.weight).sum().item())
net = nn.Sequential(nn.Linear(3, 3), c).to(device)
net(x).mean().backward()
