# case: parts of a pinned batch
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
data = TensorDataset(torch.ones(8, 3), torch.zeros(8, 1))
model = nn.Linear(3, 1).to(device)
for x, y in DataLoader(data, batch_size=4, pin_memory=torch.cuda.is_available()):
    x = x.to(device)
    loss = nn.functional.mse_loss(model(x), y.to(
        device,
    ))
print(loss.item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
data = TensorDataset(torch.ones(8, 3), torch.zeros(8, 1))
model = nn.Linear(3, 1).to(device)
for x, y in DataLoader(data, batch_size=4, pin_memory=torch.cuda.is_available()):
    x = x.to(device, non_blocking=True)
    loss = nn.functional.mse_loss(model(x), y.to(
        device,
        non_blocking=True,
    ))
print(loss.item())

# case: it says so
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.ones(8, 3))
for (x,) in DataLoader(data, batch_size=4, pin_memory=torch.cuda.is_available()):
    print(x.to(device, non_blocking=True).sum().item())

# case: nothing is pinned
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.ones(8, 3))
for (x,) in DataLoader(data, batch_size=4, pin_memory=False):
    print(x.to(device).sum().item())
for (x,) in DataLoader(data, batch_size=4):
    print(x.to(device).sum().item())

# case: what is computed from a pinned batch is not pinned
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.ones(8, 3))
noise = torch.zeros(4, 3)
for (x,) in DataLoader(data, batch_size=4, pin_memory=torch.cuda.is_available()):
    print((x + noise).to(device).sum().item())

# case: to the host
import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.ones(8, 3))
for (x,) in DataLoader(data, batch_size=4, pin_memory=torch.cuda.is_available()):
    print(x.to("cpu").sum().item(), x.cpu().numpy().shape)
