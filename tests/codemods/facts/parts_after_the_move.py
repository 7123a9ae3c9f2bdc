
# case: a method of a moved module exchanges a part
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.fc = nn.Linear(4, 2)
    def reset(self, n):
        self.fc = nn.Linear(4, n)
    def forward(self, x):
        return self.fc(self.body(x))

net = Net()
if torch.cuda.is_available():
    net.cuda()
net.reset(3)
print(net(torch.ones(2, 4)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.fc = nn.Linear(4, 2)
    def reset(self, n):
        self.fc = nn.Linear(4, n).to(next(self.parameters()).device)
    def forward(self, x):
        return self.fc(self.body(x))

net = Net()
net.to(device)
net.reset(3)
print(net(torch.ones(2, 4, device=device)).sum().item())

# case: a part, a parameter and a buffer come behind the move
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("shift", torch.ones(2))
    def forward(self, x):
        return self.fc(x) * self.scale + self.shift

net = Net()
if torch.cuda.is_available():
    net.cuda()
net.fc = nn.Linear(4, 2)
net.scale = nn.Parameter(torch.zeros(2))
net.register_buffer("shift", torch.zeros(2))
print(net(torch.ones(2, 4)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("shift", torch.ones(2))
    def forward(self, x):
        return self.fc(x) * self.scale + self.shift

net = Net()
net.to(device)
net.fc = nn.Linear(4, 2).to(device)
net.scale = nn.Parameter(torch.zeros(2, device=device))
net.register_buffer("shift", torch.zeros(2, device=device))
print(net(torch.ones(2, 4, device=device)).sum().item())

# case: a copy is where the original is
import copy
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
if torch.cuda.is_available():
    net.cuda()
net[1] = copy.deepcopy(net[0])
net.add_module("2", nn.ReLU())
print(net(torch.ones(2, 4)).sum().item())

# output
import copy
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
net.to(device)
net[1] = copy.deepcopy(net[0])
net.add_module("2", nn.ReLU())
print(net(torch.ones(2, 4, device=device)).sum().item())

# case: a part comes before the move
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
net[1] = nn.Linear(4, 3)
if torch.cuda.is_available():
    net.cuda()
print(net(torch.ones(2, 4)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
net[1] = nn.Linear(4, 3)
net.to(device)
print(net(torch.ones(2, 4, device=device)).sum().item())
