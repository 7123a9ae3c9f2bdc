# case: predictions of a model that is moved
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
pred = model(x).detach().numpy()
print(pred.shape, (model(x) * 2).data.numpy().sum())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
pred = model(x).detach().cpu().numpy()
print(pred.shape, (model(x) * 2).data.cpu().numpy().sum())

# case: functions of NumPy
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.linspace(0, 1, 5, device=device)
y = torch.sin(x)
print(np.abs(x).max(), np.array(y).mean(), np.concatenate([x, y]).shape, np.asarray(y, dtype=float)[0])

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.linspace(0, 1, 5, device=device)
y = torch.sin(x)
print(np.abs(x.cpu()).max(), np.array(y.cpu()).mean(), np.concatenate([x.cpu(), y.cpu()]).shape, np.asarray(y.cpu(), dtype=float)[0])

# case: a plot
import matplotlib.pyplot as plt
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(1, 1).to(device)
x = torch.linspace(-1, 1, 50, device=device).unsqueeze(1)
with torch.no_grad():
    y = model(x)
plt.plot(x, y, "r-", label="fit")
plt.scatter(x.numpy(), y.data.numpy())
plt.title("loss = %.3f" % y.mean().item())
plt.show()

# output
import matplotlib.pyplot as plt
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(1, 1).to(device)
x = torch.linspace(-1, 1, 50, device=device).unsqueeze(1)
with torch.no_grad():
    y = model(x)
plt.plot(x.cpu(), y.cpu(), "r-", label="fit")
plt.scatter(x.cpu().numpy(), y.data.cpu().numpy())
plt.title("loss = %.3f" % y.mean().item())
plt.show()

# case: lists of what came out
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
outputs, labels = [], []
for x, y in DataLoader(TensorDataset(torch.randn(8, 3), torch.zeros(8)), batch_size=4):
    outputs.append(model(x.to(device)).argmax(1).numpy())
    labels.extend(y.numpy())
print((np.concatenate(outputs) == np.array(labels)).mean())

# output
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
outputs, labels = [], []
for x, y in DataLoader(TensorDataset(torch.randn(8, 3), torch.zeros(8)), batch_size=4):
    outputs.append(model(x.to(device)).argmax(1).cpu().numpy())
    labels.extend(y.numpy())
print((np.concatenate(outputs) == np.array(labels)).mean())

# case: lengths of packed sequences
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rnn = nn.GRU(3, 5, batch_first=True).to(device)
x = torch.rand(2, 4, 3, device=device)
mask = torch.ones(2, 4, device=device)
lengths = mask.sum(1).long()
packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
output, hidden = rnn(packed)
print(hidden.sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rnn = nn.GRU(3, 5, batch_first=True).to(device)
x = torch.rand(2, 4, 3, device=device)
mask = torch.ones(2, 4, device=device)
lengths = mask.sum(1).long()
packed = nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True)
output, hidden = rnn(packed)
print(hidden.sum().item())

# case: a method of an agent
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x):
        return torch.softmax(self.linear(x), dim=-1)

    def act(self, state):
        probabilities = self(state)
        return (
            probabilities
            .detach()
            .numpy()  # for the environment
        )


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = Policy().to(device)
print(policy.act(torch.ones(1, 4, device=device)).sum())

# output
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x):
        return torch.softmax(self.linear(x), dim=-1)

    def act(self, state):
        probabilities = self(state)
        return (
            probabilities
            .detach()
            .cpu()
            .numpy()  # for the environment
        )


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = Policy().to(device)
print(policy.act(torch.ones(1, 4, device=device)).sum())

# case: brought back already
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
a = model(x).detach().cpu().numpy()
b = model(x).cpu().detach().numpy()
c = model(x).to("cpu").tolist()
print(np.abs(a - b).max(), c, np.array(x.cpu()), np.mean(model(x).tolist()))

# case: numbers, shapes and strings
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(2, 3, device=device)
print(float(x.sum()), int(x[0, 0]), x.max().item(), x.tolist(), np.prod(x.shape), f"{x.mean():.2f}", x)
losses = [x.sum().item() for _ in range(3)]
print(np.mean(losses), np.log(x.size(0)), np.sqrt(len(x)))

# case: a writable view of a gradient
# reports: DFX401
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
model(torch.ones(2, 3, device=device)).sum().backward()
for p in model.parameters():
    p.grad.numpy()[:] = np.clip(p.grad.cpu().numpy(), -1, 1)
print(sum(p.grad.sum().item() for p in model.parameters()))

# case: only NumPy
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
x = np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3)
print(np.abs(x).max(), np.array(x).mean())
print(model(torch.from_numpy(x).to(device)).sum().item())

# case: tensors of the host
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
table = torch.rand(8, 3)
print(table.numpy().mean(), np.std(np.asarray(table)))
for x, y in DataLoader(TensorDataset(table, torch.zeros(8)), batch_size=4):
    print(model(x.to(device)).sum().item(), y.numpy().sum())

# case: a class with a method of that name
import torch


class Column:
    def __init__(self, values):
        self.values = values

    def numpy(self):
        return [float(value) for value in self.values]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Column(torch.ones(3, device=device)).numpy())

# case: a device that is the CPU
import numpy as np
import torch

device = torch.device("cpu")
model = torch.nn.Linear(3, 1).to(device)
print(np.abs(model(torch.ones(2, 3).to(device)).detach().numpy()).max())
