# case: a module that takes the tensors of a file for its own is where these are
# reports: DFX101 DFX103
import io

import torch
from torch import nn

file = io.BytesIO()
torch.save(nn.Linear(3, 3).state_dict(), file)
file.seek(0)
lin = nn.Linear(3, 3)
lin.load_state_dict(torch.load(file), assign=True)
print("%.5f" % lin(torch.randn(5, 3)).sum().item())

# case: item by item
# reports: DFX101 DFX103 DFX402
import torch
from torch import nn

state = torch.load("model.pt")
lin = nn.Linear(3, 3)
lin.load_state_dict({name: state[name] for name in ("weight", "bias")}, assign=True)
print("%.5f" % lin(torch.randn(5, 3)).sum().item())

# case: a module that is moved behind that is where it is moved to
import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
file = io.BytesIO()
torch.save(nn.Linear(3, 3).state_dict(), file)
file.seek(0)
lin = nn.Linear(3, 3)
lin.load_state_dict(torch.load(file), assign=True)
lin.to(device)
print("%.5f" % lin(torch.randn(5, 3)).sum().item())

# output
import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
file = io.BytesIO()
torch.save(nn.Linear(3, 3).state_dict(), file)
file.seek(0)
lin = nn.Linear(3, 3)
lin.load_state_dict(torch.load(file), assign=True)
lin.to(device)
print("%.5f" % lin(torch.randn(5, 3, device=device)).sum().item())
