
# case: an attribute is set on one path
import torch
from torch import nn

class Weighted:
    def __init__(self, n):
        self.w = torch.ones(n)
        self.step = 0

    def __call__(self, losses):
        if self.step > 0:
            self.w = torch.softmax(losses.detach(), 0)
        self.step += 1
        return (self.w * losses).sum()

net = nn.Linear(4, 3)
weighted = Weighted(3)
for i in range(3):
    print(weighted(net(torch.randn(10, 4)).mean(0)).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Weighted:
    def __init__(self, n):
        self.w = torch.ones(n, device=device)
        self.step = 0

    def __call__(self, losses):
        if self.step > 0:
            self.w = torch.softmax(losses.detach(), 0)
        self.step += 1
        return (self.w * losses).sum()

net = nn.Linear(4, 3).to(device)
weighted = Weighted(3)
for i in range(3):
    print(weighted(net(torch.randn(10, 4, device=device)).mean(0)).item())

# case: a global and an item are set on one path
import torch
from torch import nn

mean = torch.zeros(3)

def update(y, step):
    global mean
    if step > 1:
        mean = 0.5 * y
    return mean + y

net = nn.Linear(4, 3)
state = {"best": torch.zeros(3)}
for i in range(3):
    y = net(torch.randn(4)).detach()
    for _ in range(i):
        state["best"] = y
    print(update(y, i).sum().item(), (state["best"] - y).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

mean = torch.zeros(3, device=device)

def update(y, step):
    global mean
    if step > 1:
        mean = 0.5 * y
    return mean + y

net = nn.Linear(4, 3).to(device)
state = {"best": torch.zeros(3, device=device)}
for i in range(3):
    y = net(torch.randn(4, device=device)).detach()
    for _ in range(i):
        state["best"] = y
    print(update(y, i).sum().item(), (state["best"] - y).sum().item())

# case: lists and dicts come in another order
import random
import torch
from torch import nn

random.seed(1)
data = [(torch.randn(4), torch.zeros(3)), (torch.randn(4), torch.ones(3))]
random.shuffle(data)
rows = [torch.ones(3), torch.zeros(3)]
rows.sort(key=lambda row: row.sum().item())
heads = {"x": torch.zeros(3), "y": torch.ones(3)}
heads.pop("x")
net = nn.Linear(4, 3)
x, y = data[0]
print((net(x) - y + rows[0] + list(heads.values())[0]).sum().item())

# output
import random
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

random.seed(1)
data = [(torch.randn(4), torch.zeros(3)), (torch.randn(4), torch.ones(3))]
random.shuffle(data)
rows = [torch.ones(3, device=device), torch.zeros(3, device=device)]
rows.sort(key=lambda row: row.sum().item())
heads = {"x": torch.zeros(3, device=device), "y": torch.ones(3, device=device)}
heads.pop("x")
net = nn.Linear(4, 3).to(device)
x, y = data[0]
print((net(x.to(device)) - y.to(device) + rows[0] + list(heads.values())[0]).sum().item())
