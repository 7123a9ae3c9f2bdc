# case: a target of NumPy's floats
# reports: DFX303
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(8, 3, device=device)
y = torch.from_numpy(np.random.rand(8, 1)).to(device)
print(nn.functional.mse_loss(model(x), y).item())

# case: a target of NumPy's floats, cast
# unsafe
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(8, 3, device=device)
y = torch.from_numpy(np.random.rand(8, 1)).to(device)
z = torch.tensor(np.random.rand(8, 1), device=device)
print(nn.functional.mse_loss(model(x), y).item(), nn.SmoothL1Loss()(model(x), z).item())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(8, 3, device=device)
y = torch.from_numpy(np.random.rand(8, 1)).float().to(device)
z = torch.tensor(np.random.rand(8, 1), device=device, dtype=torch.float32)
print(nn.functional.mse_loss(model(x), y).item(), nn.SmoothL1Loss()(model(x), z).item())

# case: a batch that is not moved yet
# unsafe
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.ones(3), np.random.rand(1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
for x, y in DataLoader(Points(), batch_size=4):
    print(nn.functional.mse_loss(model(x), y).item())

# output
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.ones(3), np.random.rand(1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
for x, y in DataLoader(Points(), batch_size=4):
    x, y = x.to(device), y.float().to(device)
    print(nn.functional.mse_loss(model(x), y).item())

# case: by name
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(8, 3, device=device)
y = torch.zeros(8, 1, dtype=torch.float64, device=device)
z = torch.zeros(8, 1).double().to(device)
print((model(x) - y).abs().sum().item(), (model(x) * z).sum().item())

# case: cast before the transfer, or by it
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(8, 3, device=device)
y = torch.from_numpy(np.random.rand(8, 1)).float().to(device)
z = torch.from_numpy(np.random.rand(8, 1)).to(device, torch.float32)
w = torch.tensor(np.random.rand(8, 1), dtype=torch.float32, device=device)
print(nn.functional.mse_loss(model(x), y * z * w).item())

# case: it stays on the host
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
y = torch.from_numpy(np.random.rand(8, 1))
print(model(torch.ones(8, 3, device=device)).sum().item() * y.mean().item())

# case: a program that computes in doubles
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).double().to(device)
x = torch.from_numpy(np.random.rand(8, 3)).to(device)
y = torch.zeros(8, 1, dtype=torch.float64, device=device)
print(nn.functional.mse_loss(model(x), y).item())

# case: doubles by default
import numpy as np
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.from_numpy(np.random.rand(8, 3)).to(device)
print(model(x).sum().item())

# case: integers
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
labels = torch.from_numpy(np.arange(8) % 2).to(device)
print(nn.functional.cross_entropy(model(torch.ones(8, 3, device=device)), labels).item())
