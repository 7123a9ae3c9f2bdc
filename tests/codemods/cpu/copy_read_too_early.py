# case: computed with, printed, read as an array, read after a loop
# reports: DFX405 DFX405 DFX405 DFX405
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)

host = model(x).detach().to("cpu", non_blocking=True)
print(f"{(host * 2).sum().item():.3f}")

host = model(x).detach().to(device="cpu", non_blocking=True)
print(host.shape, float(host[0, 0]) < 100)

array = model(x).detach().to("cpu", non_blocking=True).numpy()
print(f"{array.mean():.3f}")

parts = []
for _ in range(2):
    parts.append(model(x).detach().to("cpu", non_blocking=True))
print(f"{parts[0].sum():.3f}")

# case: into pinned memory of the program's own
# reports: DFX405
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(2, 3, device=device)
if torch.cuda.is_available():
    kept = torch.zeros(2, 3, pin_memory=True)
    kept.copy_(x, non_blocking=True)
    print(kept.sum().item())

# case: something waits before the read
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)

host = model(x).detach().to("cpu", non_blocking=True)
if torch.cuda.is_available():
    torch.cuda.synchronize()
print(f"{host.sum().item():.3f}")

y = model(x).detach()
host = y.to("cpu", non_blocking=True)
total = y.sum().item()
print(f"{host.sum().item() - total:.3f}")

parts = [model(x).detach().to("cpu", non_blocking=True) for _ in range(2)]
if torch.cuda.is_available():
    torch.cuda.current_stream().synchronize()
print(f"{parts[0].sum():.3f}")

# case: it goes on and is not looked at
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)


def brought(y):
    return y.detach().to("cpu", non_blocking=True)


parts = []
for _ in range(2):
    host = model(x).detach().to("cpu", non_blocking=True)
    parts.append(host)
    print(host.shape, host.dtype, len(parts))

# case: copies that wait, or go the other way
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3).to(device, non_blocking=True)
print(f"{model(x).sum().item():.3f}")
host = model(x).detach().to("cpu", non_blocking=False)
print(f"{host.sum().item():.3f}")
kept = torch.zeros(2, 1)
kept.copy_(model(x).detach(), non_blocking=True)
print(f"{kept.sum().item():.3f}")
