# case: random integers
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.randint(0, 10, (8, 3), device=device)
print(model(x).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.randint(0, 10, (8, 3), device=device).float()
print(model(x).sum().item())

# case: before the transfer
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(4, 2), nn.Sigmoid()).to(device)
x = torch.tensor([[0, 1, 1, 0], [1, 1, 0, 0]]).to(device)  # truth table
print(model(x).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(4, 2), nn.Sigmoid()).to(device)
x = torch.tensor([[0, 1, 1, 0], [1, 1, 0, 0]]).float().to(device)  # truth table
print(model(x).sum().item())

# case: pixels, in one expression
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
convolution = nn.Conv2d(3, 2, 3).to(device)
print(convolution(torch.randint(255, (1, 3, 8, 8), dtype=torch.uint8).to(device)).mean().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
convolution = nn.Conv2d(3, 2, 3).to(device)
print(convolution(torch.randint(255, (1, 3, 8, 8), dtype=torch.uint8).float().to(device)).mean().item())

# case: the integers are also indices
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
embedding = nn.Embedding(10, 3).to(device)
linear = nn.Linear(3, 3).to(device)
ids = torch.arange(3, device=device)
print((linear(ids) + embedding(ids)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
embedding = nn.Embedding(10, 3).to(device)
linear = nn.Linear(3, 3).to(device)
ids = torch.arange(3, device=device)
print((linear(ids.float()) + embedding(ids)).sum().item())

# case: an array of integers
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
linear = nn.Linear(2, 2).to(device)
x = torch.from_numpy(np.array([[1, 2], [3, 4]]))
print(linear(x.to(device)).sum().item())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
linear = nn.Linear(2, 2).to(device)
x = torch.from_numpy(np.array([[1, 2], [3, 4]])).float()
print(linear(x.to(device)).sum().item())

# case: indices of an embedding
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Embedding(10, 3), nn.Linear(3, 1)).to(device)
print(model(torch.randint(0, 10, (4,), device=device)).sum().item())

# case: class labels
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
labels = torch.randint(0, 2, (4,), device=device)
logits = model(torch.rand(4, 3, device=device))
print(nn.CrossEntropyLoss()(logits, labels).item(), logits[labels].shape)

# case: floats with a point
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
a = torch.tensor([[1, 2, 3.0]], device=device)
b = torch.full((1, 3), 2.0, device=device)
c = torch.arange(0, 3, 1.0, device=device)
print(model(a + b + c).sum().item())

# case: cast by arithmetic
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
pixels = torch.randint(0, 255, (4, 3), device=device)
print(model(pixels / 255).sum().item(), model(pixels * 0.5).sum().item())

# case: cast by the author
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
a = torch.randint(0, 255, (4, 3)).float().to(device)
b = torch.randint(0, 255, (4, 3)).to(device, torch.float32)
c = torch.ones(4, 3, dtype=torch.long).type(torch.FloatTensor).to(device)
d = torch.LongTensor([[1, 2, 3]]).type_as(a).to(device)
print(model(a + b + c + d).sum().item())

# case: one-hot vectors, cast
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(5, 1).to(device)
x = F.one_hot(torch.arange(5, device=device), 5)
print(model(x.float()).sum().item())

# case: a layer of the program that takes integers
import torch
from torch import nn


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 1)

    def forward(self, ids):
        return self.linear(nn.functional.one_hot(ids, 5).float().sum(1))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Bag().to(device)
print(model(torch.randint(0, 5, (4, 3), device=device)).sum().item())

# case: a size that was computed
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
scale = float(len("abc"))
x = torch.full((2, 3), scale, device=device)
y = torch.full((2, 3), 1 / 3, device=device)
print(model(x + y).sum().item(), model(torch.full((2, 3), scale, device=device)).sum().item())
