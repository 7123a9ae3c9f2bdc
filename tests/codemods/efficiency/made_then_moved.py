# case: factories whose values are exact
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.zeros(3).to(device)
b = torch.full(
    (3,),
    2.0,  # two
).to(device, non_blocking=True)
c = torch.arange(3, dtype=torch.float32).to(device)
print((a + b).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.zeros(3, device=device)
b = torch.full(
    (3,),
    2.0,  # two
    device=device,
)
c = torch.arange(3, dtype=torch.float32, device=device)
print((a + b).sum().item())

# case: a state in a method
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.RNNCell(3, 4)

    def forward(self, x):
        state = torch.zeros(x.size(0), 4).to(x.device)
        return self.cell(x, state)


torch.manual_seed(0)
print(Net()(torch.ones(2, 3)).sum().item())

# output
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.RNNCell(3, 4)

    def forward(self, x):
        state = torch.zeros(x.size(0), 4, device=x.device)
        return self.cell(x, state)


torch.manual_seed(0)
print(Net()(torch.ones(2, 3)).sum().item())

# case: other random numbers
# reports: DFX501
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
print(torch.randn(3).to(device).sum().item())

# case: a device may round differently
# reports: DFX501
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.linspace(0, 1, 7).to(device).sum().item())

# case: a generator, pinned memory, data of the host
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = torch.Generator().manual_seed(0)
a = torch.rand(3, generator=generator).to(device)
b = torch.tensor([1.0, 2.0, 3.0]).to(device)
c = torch.from_numpy(np.ones(3, dtype=np.float32)).to(device)
d = torch.FloatTensor([1, 2, 3]).to(device)
print((a + b + c + d).sum().item())

# case: a leaf, a cast, a view
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.zeros(6, requires_grad=True).to(device)
b = torch.zeros(6).to(device, torch.float64)
c = torch.zeros(6).view(2, 3).to(device)
d = torch.zeros(6).to(torch.float64)
print(a.sum().item(), b.dtype, c.shape, d.dtype)

# case: the host sees it, too
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
zeros = torch.zeros(3)
print(zeros.numpy(), zeros.to(device).sum().item(), torch.ones(3).to("cpu"))

# case: made on the device, and copied within it
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.zeros(3, device=device).to(device).sum().item())

# case: calls that do not say where
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
where = (device,)
a = torch.zeros(3).to(*where)
try:
    print(a.sum().item(), torch.ones(3).to().sum().item())
except TypeError as error:
    print(type(error).__name__)
