# case: Adagrad before the module moves
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)

model = model.to(device)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(4, 3, device=device)).pow(2).mean()
    loss.backward()
    optimizer.step()
print(loss.item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1)
model = model.to(device)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)

for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(4, 3, device=device)).pow(2).mean()
    loss.backward()
    optimizer.step()
print(loss.item())

# case: state that is loaded before the move
import torch
from torch import nn


def train(state):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    if state:
        print("resumed")
    optimizer.load_state_dict(state)
    steps = 3
    model.to(device)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 3, device=device)).pow(2).mean()
        loss.backward()
        optimizer.step()
    return loss.item(), optimizer.state_dict()


old = torch.optim.Adam(nn.Linear(3, 1).parameters(), lr=0.1)
print(train(old.state_dict())[0])

# output
import torch
from torch import nn


def train(state):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    if state:
        print("resumed")
    model.to(device)
    optimizer.load_state_dict(state)
    steps = 3
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 3, device=device)).pow(2).mean()
        loss.backward()
        optimizer.step()
    return loss.item(), optimizer.state_dict()


old = torch.optim.Adam(nn.Linear(3, 1).parameters(), lr=0.1)
print(train(old.state_dict())[0])

# case: optimizers that wait for the first step
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizers = [
    torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9),
    torch.optim.Adam(model.parameters()),
]
model.to(device)
for optimizer in optimizers:
    model(torch.ones(4, 3, device=device)).pow(2).mean().backward()
    optimizer.step()
print(model.weight.sum().item())

# case: built and loaded after the move, once per fold
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
state = None
for fold in range(2):
    model = nn.Linear(3, 1)
    model.to(device)
    optimizer = torch.optim.Adagrad(model.parameters())
    if state is not None:
        optimizer.load_state_dict(state)
    model(torch.ones(4, 3, device=device)).pow(2).mean().backward()
    optimizer.step()
    state = optimizer.state_dict()
print(model.weight.sum().item())

# case: the module of another optimizer
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
first, second = nn.Linear(3, 1), nn.Linear(3, 1)
optimizer = torch.optim.Adagrad(first.parameters())
second.to(device)
print(second(torch.ones(4, 3, device=device)).sum().item(), len(optimizer.param_groups))

# case: the device is defined in between
# reports: DFX110
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.Adagrad(model.parameters())
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
model(torch.ones(4, 3, device=device)).pow(2).mean().backward()
optimizer.step()
print(model.weight.sum().item())

# case: a head that is exchanged too late
# reports: DFX110
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.head = nn.Linear(4, 10)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.head = nn.Linear(4, 2)
model.to(device)
model(torch.ones(4, 3, device=device)).pow(2).mean().backward()
optimizer.step()
print(model.head.weight.sum().item())

# case: a head that is exchanged in time, and one that is added
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.head = nn.Linear(4, 10)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


torch.manual_seed(0)
for fold in range(2):
    model = Net()
    model.head = nn.Linear(4, 2)
    model.to(device)
    optimizer = torch.optim.Adagrad(model.parameters())
    model(torch.ones(4, 3, device=device)).pow(2).mean().backward()
    optimizer.step()
late = Net().to(device)
known = torch.optim.SGD(late.parameters(), lr=0.1)
late.head = nn.Linear(4, 2).to(device)
known.add_param_group({"params": late.head.parameters()})
late(torch.ones(4, 3, device=device)).pow(2).mean().backward()
known.step()
print(model.head.weight.sum().item(), late.head.weight.sum().item())
