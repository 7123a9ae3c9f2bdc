# case: written inside the call
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 2)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 4.0]))
for step in range(2):
    loss = criterion(model(torch.ones(4, 3)), torch.tensor([0, 1, 1, 0]))
    loss.backward()
print(loss.item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
model = nn.Linear(3, 2).to(device)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 4.0], device=device))
for step in range(2):
    loss = criterion(model(torch.ones(4, 3, device=device)), torch.tensor([0, 1, 1, 0], device=device))
    loss.backward()
print(loss.item())

# case: computed from counts that the host prints
import numpy as np
import torch
import torch.nn as nn

device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
torch.manual_seed(0)
model = nn.Linear(3, 2).to(device)
weights = torch.from_numpy(1 / np.array([30.0, 10.0])).float()
print(weights.numpy())
criterion = nn.NLLLoss(weights)
scores = model(torch.ones(4, 3, device=device)).log_softmax(1)
print(criterion(scores, torch.zeros(4, dtype=torch.long, device=device)).item())

# output
import numpy as np
import torch
import torch.nn as nn

device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
torch.manual_seed(0)
model = nn.Linear(3, 2).to(device)
weights = torch.from_numpy(1 / np.array([30.0, 10.0])).float()
print(weights.numpy())
criterion = nn.NLLLoss(weights.to(device))
scores = model(torch.ones(4, 3, device=device)).log_softmax(1)
print(criterion(scores, torch.zeros(4, dtype=torch.long, device=device)).item())

# case: pos_weight, and a criterion that an object holds
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Trainer:
    def __init__(self, model, ratio):
        self.model = model
        positive = torch.tensor([ratio])
        self.criterion = nn.BCEWithLogitsLoss(pos_weight=positive)

    def loss(self, x, y):
        return self.criterion(self.model(x), y)


torch.manual_seed(0)
trainer = Trainer(nn.Linear(3, 1).to(device), 3.0)
print(trainer.loss(torch.ones(2, 3, device=device), torch.ones(2, 1, device=device)).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Trainer:
    def __init__(self, model, ratio):
        self.model = model
        positive = torch.tensor([ratio], device=device)
        self.criterion = nn.BCEWithLogitsLoss(pos_weight=positive)

    def loss(self, x, y):
        return self.criterion(self.model(x), y)


torch.manual_seed(0)
trainer = Trainer(nn.Linear(3, 1).to(device), 3.0)
print(trainer.loss(torch.ones(2, 3, device=device), torch.ones(2, 1, device=device)).item())

# case: the functional form, and a weight that is set later
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 2).to(device)
weight = torch.FloatTensor([1, 2])
other = nn.CrossEntropyLoss()
other.weight = torch.ones(2)
scores = model(torch.ones(4, 3, device=device))
target = torch.zeros(4, dtype=torch.long, device=device)
print(F.cross_entropy(scores, target, weight).item(), other(scores, target).item())

# output
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 2).to(device)
weight = torch.tensor([1, 2], dtype=torch.float32, device=device)
other = nn.CrossEntropyLoss()
other.weight = torch.ones(2, device=device)
scores = model(torch.ones(4, 3, device=device))
target = torch.zeros(4, dtype=torch.long, device=device)
print(F.cross_entropy(scores, target, weight).item(), other(scores, target).item())

# case: the criterion is moved
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 2).to(device)
first = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 4.0])).to(device)
second = nn.CrossEntropyLoss(torch.ones(2))
second.to(device)
scores = model(torch.ones(4, 3, device=device))
target = torch.zeros(4, dtype=torch.long, device=device)
print(first(scores, target).item(), second(scores, target).item())

# case: the weight is there already
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 2).to(device)
weight = torch.tensor([1.0, 4.0]).to(device)
criterion = nn.CrossEntropyLoss(weight=weight)
scores = model(torch.ones(4, 3, device=device))
print(criterion(scores, torch.zeros(4, dtype=torch.long, device=device)).item())

# case: no weight at all
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 2).to(device)
criterion = nn.CrossEntropyLoss(weight=None, label_smoothing=0.1)
scores = model(torch.ones(4, 3, device=device))
print(criterion(scores, torch.zeros(4, dtype=torch.long, device=device)).item())

# case: the loss is part of a module that moves
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 4.0]))

    def forward(self, x, target):
        return self.criterion(self.fc(x), target)


torch.manual_seed(0)
net = Net().to(device)
target = torch.zeros(4, dtype=torch.long, device=device)
print(net(torch.ones(4, 3, device=device), target).item())

# case: the loss is computed on the host
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 2).to(device)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 4.0], device="cpu"))
scores = model(torch.ones(4, 3, device=device)).cpu()
print(criterion(scores, torch.zeros(4, dtype=torch.long)).item())
