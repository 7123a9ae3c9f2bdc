# case: NumPy's default floats
import numpy as np
import torch
from torch import nn

x = torch.from_numpy(np.random.rand(8, 3))
y = nn.Linear(3, 1)(x)
print(y.shape)

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

x = torch.from_numpy(np.random.rand(8, 3)).float().to(device)
y = nn.Linear(3, 1).to(device)(x)
print(y.shape)

# case: before the transfer
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)).to(device)
data = np.linspace(0, 1, 24).reshape(8, 3)
x = torch.from_numpy(data).to(device)
print(model(x).sum().item())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)).to(device)
data = np.linspace(0, 1, 24).reshape(8, 3)
x = torch.from_numpy(data).float().to(device)
print(model(x).sum().item())

# case: where something else wants the digits, at the use
# reports: DFX303
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.tensor(np.random.rand(8, 3), device=device)
print(x.mean().item(), x.std().item())
print(model(x).sum().item())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.tensor(np.random.rand(8, 3), device=device)
print(x.mean().item(), x.std().item())
print(model(x.float()).sum().item())

# case: convolution and normalisation
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
convolution = nn.Conv2d(1, 4, 3).to(device)
images = torch.as_tensor(np.ones((2, 1, 8, 8)) / 255.0).to(device)
print(convolution(images).sum().item())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
convolution = nn.Conv2d(1, 4, 3).to(device)
images = torch.as_tensor(np.ones((2, 1, 8, 8)) / 255.0).float().to(device)
print(convolution(images).sum().item())

# case: a recurrent network
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rnn = nn.LSTM(
    3,
    5,
    batch_first=True,
).to(device)
waves = np.sin(np.arange(60.0)).reshape(4, 5, 3)
output, (h, c) = rnn(torch.from_numpy(waves).to(device))
print(output.sum().item())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rnn = nn.LSTM(
    3,
    5,
    batch_first=True,
).to(device)
waves = np.sin(np.arange(60.0)).reshape(4, 5, 3)
output, (h, c) = rnn(torch.from_numpy(waves).float().to(device))
print(output.sum().item())

# case: a matrix product, made on the device
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = torch.randn(3, 2, device=device)
a = torch.from_numpy(np.ones((4, 3))).to(device)
b = torch.tensor(np.ones((4, 3)), device=device)
print((a @ weights).sum().item(), b.mm(weights).sum().item())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = torch.randn(3, 2, device=device)
a = torch.from_numpy(np.ones((4, 3))).float().to(device)
b = torch.tensor(np.ones((4, 3)), device=device, dtype=torch.float32)
print((a @ weights).sum().item(), b.mm(weights).sum().item())

# case: made on the device in the same breath
import numpy as np
import torch
from torch import nn

model = nn.Linear(3, 1)
x = torch.tensor(np.random.rand(8, 3))
print(model(x).sum().item())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(3, 1).to(device)
x = torch.tensor(np.random.rand(8, 3), device=device, dtype=torch.float32)
print(model(x).sum().item())

# case: doubles that the author asks for
# reports: DFX301
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(8, 3, device=device).double()
y = torch.zeros(8, 3, dtype=torch.float64, device=device)
print(model(x).sum().item(), model(y).sum().item())

# case: products of doubles
# reports: DFX303
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.from_numpy(np.ones((4, 3))).to(device)
w = torch.ones(3, 2, dtype=torch.float64, device=device)
print((a @ w).sum().item(), a.mm(w).sum().item(), torch.einsum("ij,jk->ik", a, w).sum().item())

# case: cast by the author
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
a = torch.from_numpy(np.random.rand(8, 3)).float().to(device)
b = torch.from_numpy(np.random.rand(8, 3).astype(np.float32)).to(device)
c = torch.tensor(np.random.rand(8, 3), dtype=torch.float32, device=device)
d = torch.Tensor(np.random.rand(8, 3)).to(device)
print(model(a + b + c + d).sum().item())

# case: a model of doubles
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).double().to(device)
x = torch.from_numpy(np.random.rand(8, 3)).to(device)
print(model(x).sum().item())

# case: doubles by default
import numpy as np
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.from_numpy(np.random.rand(8, 3)).to(device)
print(model(x).sum().item())

# case: a loss that promotes
# reports: DFX303
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(8, 3, device=device)
y = torch.from_numpy(np.random.rand(8, 1)).to(device)
print(nn.functional.mse_loss(model(x), y).item())

# case: arithmetic in doubles
import numpy as np
import torch

x = torch.from_numpy(np.random.rand(8, 3))
print((x * x).sum().item(), x.dtype)

# case: labels stay integers
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
x = torch.ones(4, 3, device=device)
y = torch.from_numpy(np.array([0, 1, 1, 0])).to(device)
print(nn.functional.cross_entropy(model(x), y).item())

# case: nobody knows the dtype
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.from_numpy(np.load("data.npy")).to(device)
print(model(x).sum().item())
