# case: what came out beside what went in
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 8).to(device)
for (images,) in DataLoader(TensorDataset(torch.rand(16, 8)), batch_size=8):
    restored = model(images.to(device))
    print((restored - images).abs().mean().item(), images.numpy().mean())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 8).to(device)
for (images,) in DataLoader(TensorDataset(torch.rand(16, 8)), batch_size=8):
    restored = model(images.to(device))
    print((restored - images.to(device)).abs().mean().item(), images.numpy().mean())

# case: one array, used here and there
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2).to(device)
points = torch.from_numpy(np.ones((5, 2), dtype=np.float32))
print(points.numpy().sum())
print(model(points).sum().item())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2).to(device)
points = torch.from_numpy(np.ones((5, 2), dtype=np.float32))
print(points.numpy().sum())
print(model(points.to(device)).sum().item())

# case: a function that gets both
import numpy as np
import torch


def distance(a, b):
    return torch.cdist(a, b).min(dim=1)[0]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2).to(device)
anchors = torch.from_numpy(np.eye(2, dtype=np.float32))
print(anchors.numpy().tolist())
for _ in range(2):
    found = model(torch.rand(3, 2, device=device))
    print(distance(found, anchors).sum().item())

# output
import numpy as np
import torch


def distance(a, b):
    return torch.cdist(a, b).min(dim=1)[0]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2).to(device)
anchors = torch.from_numpy(np.eye(2, dtype=np.float32))
print(anchors.numpy().tolist())
for _ in range(2):
    found = model(torch.rand(3, 2, device=device))
    print(distance(found, anchors.to(device)).sum().item())

# case: an array that changes under its tensor
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 2).to(device)
array = np.zeros((1, 4), dtype=np.float32)
x = torch.from_numpy(array)
for step in range(3):
    array += 1
    print(model(x).sum().item())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 2).to(device)
array = np.zeros((1, 4), dtype=np.float32)
x = torch.from_numpy(array)
for step in range(3):
    array += 1
    print(model(x.to(device)).sum().item())

# case: an array that is written through its tensor
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 4).to(device)
array = np.zeros((1, 4), dtype=np.float32)
x = torch.from_numpy(array)
with torch.no_grad():
    for step in range(3):
        x.add_(model(x))
print(array.sum())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 4).to(device)
array = np.zeros((1, 4), dtype=np.float32)
x = torch.from_numpy(array)
with torch.no_grad():
    for step in range(3):
        x.add_(model(x.to(device)).cpu())
print(array.sum())

# case: the operands are together
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.rand(3, device=device)
b = torch.rand(3).to(device)
c = a.cpu() + torch.ones(3)
print((a + b).sum().item(), (c * 2).tolist(), torch.cat([a, b, c.to(device)]).shape)

# case: a number beside a tensor
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.rand(3, device=device)
step = torch.tensor(0.5)
limit = torch.linspace(0, 1, 5).mean()
print((a * step).sum().item(), (a > limit).sum().item(), torch.where(a > 0.5, a, step).sum().item())

# case: indices from the host
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.rand(10, 3, device=device)
order = torch.randperm(10)
print(a[order][:5].sum().item(), a[torch.tensor([1, 2])].sum().item())

# case: copied from the host
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.zeros(3, 3, device=device)
a.copy_(torch.eye(3))
a[0] = torch.tensor([1.0, 2.0, 3.0])
a[1, 1] = torch.tensor(7.0)
print(a.sum().item())

# case: read out before they meet
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
total = torch.zeros(1)
for _ in range(3):
    total += model(torch.ones(2, 3, device=device)).sum().item()
print(total.item())

# case: all on the host
import torch

a = torch.rand(3)
b = torch.from_numpy(a.numpy()).clone()
a += b
print(torch.stack([a, b]).mean().item())

# case: an option of the constructor that may be a number
import torch
from torch import nn


class ScaledNorm(nn.Module):
    def __init__(self, heads, dim):
        super().__init__()
        self.scale = dim**0.5
        self.gamma = nn.Parameter(torch.ones(heads, 1, dim) / self.scale)

    def forward(self, x):
        normed = nn.functional.normalize(x, dim=-1)
        return normed * self.scale * self.gamma

# case: the state of an LSTM is a pair, which has no `.to`: that of the constructor is moved item by item
import torch
import torch.nn as nn
import torch.optim as optim


class LSTMTagger(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.lstm = nn.LSTM(4, hidden_dim)
        self.hidden2tag = nn.Linear(hidden_dim, 3)
        self.hidden = self.init_hidden()

    def init_hidden(self):
        return (torch.zeros(1, 1, self.hidden_dim),
                torch.zeros(1, 1, self.hidden_dim))

    def forward(self, x):
        lstm_out, self.hidden = self.lstm(x.view(len(x), 1, -1), self.hidden)
        return self.hidden2tag(lstm_out.view(len(x), -1))


model = LSTMTagger(6)
loss_function = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.1)
for epoch in range(1):
    x, y = torch.randn(5, 4), torch.randint(3, (5,))
    model.zero_grad()
    model.hidden = model.init_hidden()
    loss = loss_function(model(x), y)
    loss.backward()
    optimizer.step()
    print(loss.item())

# output
import torch
import torch.nn as nn
import torch.optim as optim

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class LSTMTagger(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.lstm = nn.LSTM(4, hidden_dim)
        self.hidden2tag = nn.Linear(hidden_dim, 3)
        self.hidden = self.init_hidden()

    def init_hidden(self):
        device = next(self.parameters()).device
        return (torch.zeros(1, 1, self.hidden_dim, device=device),
                torch.zeros(1, 1, self.hidden_dim, device=device))

    def forward(self, x):
        lstm_out, self.hidden = self.lstm(x.view(len(x), 1, -1), tuple(h.to(x.device) for h in self.hidden))
        return self.hidden2tag(lstm_out.view(len(x), -1))


model = LSTMTagger(6).to(device)
loss_function = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.1)
for epoch in range(1):
    x, y = torch.randn(5, 4, device=device), torch.randint(3, (5,), device=device)
    model.zero_grad()
    model.hidden = model.init_hidden()
    loss = loss_function(model(x), y)
    loss.backward()
    optimizer.step()
    print(loss.item())

# case: the gradient that backward begins with has to be beside what it is called on
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
scores = net(torch.ones(4, 3, device=device))
weights = torch.ones(4, 2)
scores.backward(weights)
print(weights.numpy(), net.weight.grad.sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
scores = net(torch.ones(4, 3, device=device))
weights = torch.ones(4, 2)
scores.backward(weights.to(device))
print(weights.numpy(), net.weight.grad.sum().item())

# case: a gradient that is there
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
scores = net(torch.ones(4, 3, device=device))
scores.backward(gradient=torch.ones_like(scores))

# case: what `.type()` gives is a string
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Weighted(nn.Module):
    def __init__(self, alpha):
        super().__init__()
        self.alpha = alpha
        if isinstance(alpha, list):
            self.alpha = torch.tensor(alpha)

    def forward(self, scores, target):
        if self.alpha.type() != scores.type():
            self.alpha = self.alpha.type_as(scores)
        return (self.alpha.gather(0, target) * scores).sum()


model = nn.Linear(3, 2).to(device)
loss = Weighted([0.3, 0.7])
scores = model(torch.rand(4, 3).to(device))
print(loss(scores.max(1)[0], scores.argmax(1)).item())

# case: tensors of a class, one of which is assigned anew
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Prior:
    mean = torch.zeros(2)
    std = torch.ones(2)

    @classmethod
    def sample(cls):
        return torch.normal(cls.mean, cls.std)


model = nn.Linear(3, 2).to(device)
for _ in range(2):
    out = model(torch.rand(4, 3).to(device))
    print(Prior.sample().mean().item())
    Prior.mean = Prior.mean * 0.9 + out.detach().mean(0) * 0.1

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Prior:
    mean = torch.zeros(2)
    std = torch.ones(2)

    @classmethod
    def sample(cls):
        return torch.normal(cls.mean.to(device), cls.std.to(device))


model = nn.Linear(3, 2).to(device)
for _ in range(2):
    out = model(torch.rand(4, 3).to(device))
    print(Prior.sample().mean().item())
    Prior.mean = (Prior.mean * 0.9).to(device) + out.detach().mean(0) * 0.1

# case: what was brought to the CPU stays there
# reports: DFX105
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model, other = nn.Linear(3, 2).to(device), nn.Linear(3, 2).to(device)
x = torch.rand(4, 3).to(device)
gap = model(x).detach().cpu() - other(x).detach()
print(gap.abs().max().item())

# case: a constant that other processes compute with
import multiprocessing

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scale = torch.tensor([1.0, 2.0, 3.0])


def total(seed):
    torch.manual_seed(seed)
    return (torch.rand(4, 3) * scale).sum().item()


if __name__ == "__main__":
    model = nn.Linear(3, 1).to(device)
    print(model(torch.rand(4, 3).to(device) * scale).sum().item())
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(total, range(3)))

# output
import multiprocessing

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scale = torch.tensor([1.0, 2.0, 3.0])


def total(seed):
    torch.manual_seed(seed)
    return (torch.rand(4, 3) * scale).sum().item()


if __name__ == "__main__":
    model = nn.Linear(3, 1).to(device)
    print(model(torch.rand(4, 3).to(device) * scale.to(device)).sum().item())
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(total, range(3)))

# case: a constant that the workers of a loader compute with
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

MEAN = torch.tensor([0.5, 0.4, 0.3])


class Points(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.rand(3) - MEAN


model = nn.Linear(3, 3)
for x in DataLoader(Points(), batch_size=4):
    print((model(x) + MEAN).sum().item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

MEAN = torch.tensor([0.5, 0.4, 0.3])


class Points(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.rand(3) - MEAN


model = nn.Linear(3, 3).to(device)
for x in DataLoader(Points(), batch_size=4):
    x = x.to(device)
    print((model(x) + MEAN.to(device)).sum().item())

# case: a number that a torch function is given by its name is no tensor
import torch


def vector(target, nclass):
    found = torch.zeros(target.size(0), nclass)
    for i in range(target.size(0)):
        counts = torch.histc(target[i].cpu().float(), bins=nclass, min=0, max=nclass - 1)
        found[i] = counts > 0
    return found

# case: a torch in which a buffer is always a part of the state
# min-torch: 1.5
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Positions(nn.Module):
    def __init__(self, size, length=50):
        super().__init__()
        self.table = torch.zeros(length, size)
        self.out = nn.Linear(size, 1)

    def forward(self, x):
        return self.out(x + self.table)


net = Positions(4).to(device)
print(net(torch.ones(50, 4, device=device)).sum())

# output
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Positions(nn.Module):
    def __init__(self, size, length=50):
        super().__init__()
        self.table = torch.zeros(length, size)
        self.out = nn.Linear(size, 1)

    def forward(self, x):
        return self.out(x + self.table.to(x.device))


net = Positions(4).to(device)
print(net(torch.ones(50, 4, device=device)).sum())

# case: one accumulator on the host, which nothing meets on the device
# min-torch: 1.5
import torch

total = torch.zeros(3)
total += torch.ones(3)
print(total)

# case: what the constructor makes a parameter of is one
import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.randn(3, 2)
        self.mean[0, :] += 1
        self.mean = nn.Parameter(self.mean)
        self.scale = nn.Parameter(torch.ones(3, 2))

    def forward(self, x):
        return ((x.unsqueeze(1) - self.mean) ** 2 / self.scale).sum()

# case: what NumPy makes of a parameter may be a number, and so may what arithmetic makes of that
import numpy as np
import torch
from torch import nn


def schedule(text, step):
    first, last, duration = [float(part) for part in text.split(",")]
    mix = np.clip(step / duration, 0.0, 1.0)
    return (1.0 - mix) * first + mix * last


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, obs, std):
        mu = self.out(obs)
        return mu + torch.ones_like(mu) * std


class Agent:
    def __init__(self, device):
        self.device = device
        self.actor = Actor().to(device)

    def act(self, obs, step):
        obs = torch.as_tensor(obs, device=self.device)
        return self.actor(obs, schedule("1,2,3", step))

# case: of one element, and of as many dimensions as before
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 3).to(device)
scores = torch.rand(2, 3)
out = model(torch.rand(2, 3).to(device))
print((out + torch.argmax(scores, keepdim=True)).sum().item(), scores.numpy())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 3).to(device)
scores = torch.rand(2, 3)
out = model(torch.rand(2, 3).to(device))
print((out + torch.argmax(scores, keepdim=True).to(device)).sum().item(), scores.numpy())

# case: an attribute that is brought to its operand where their types differ
import torch
from torch import nn


class FocalLoss(nn.Module):
    def __init__(self, alpha=None):
        super().__init__()
        self.alpha = alpha
        if isinstance(alpha, list):
            self.alpha = torch.Tensor(alpha)

    def forward(self, x, y):
        if self.alpha is not None:
            if self.alpha.type() != x.data.type():
                self.alpha = self.alpha.type_as(x.data)
            at = self.alpha.gather(0, y.data.view(-1))
            return (x * at).sum()
        return x.sum()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
x = torch.ones(4, 3).to(device)
y = torch.zeros(4).long().to(device)
out = net(x).view(-1)
print(FocalLoss()(out, y).shape, FocalLoss([0.5, 0.5])(out, y).shape)

# case: a module moves no inputs that its callers have left behind
# reports: DFX105
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
data = [torch.rand(3, 2), torch.rand(4, 2)]
for y in map(net, data):
    print(y.shape)
print([x.numpy().shape for x in data])

# case: a transform that torchvision applies to one sample at a time
import torch
from torch import nn
from torchvision import transforms


class Lighting:
    def __init__(self, eigval):
        self.eigval = torch.tensor(eigval)

    def __call__(self, img):
        alpha = img.new().resize_(3).normal_(0, 0.1)
        return img + (alpha * self.eigval).sum()


steps = transforms.Compose([transforms.ToTensor(), Lighting([0.1, 0.2, 0.3])])
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
print(net(torch.ones(3, 2, device=device)).shape)

# case: statistics of an averaged model, computed again from a loader
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).to(device)
average = AveragedModel(model)
average.update_parameters(model)
update_bn(DataLoader(TensorDataset(torch.rand(8, 3)), 4), average)
print(average(torch.rand(2, 3, device=device)).sum().item())

# output
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).to(device)
average = AveragedModel(model)
average.update_parameters(model)
update_bn(DataLoader(TensorDataset(torch.rand(8, 3)), 4), average, device=device)
print(average(torch.rand(2, 3, device=device)).sum().item())

# case: statistics of an averaged model that are computed on the CPU
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).to(device)
average = AveragedModel(model, "cpu")
average.update_parameters(model)
update_bn(DataLoader(TensorDataset(torch.rand(8, 3)), 4), average)
print(average(torch.rand(2, 3)).sum().item(), model(torch.rand(2, 3, device=device)).sum().item())

# case: what is spread into a module moves item by item
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 2), nn.Linear(4, 2)

    def forward(self, first, second):
        return self.first(first) + self.second(second)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Sum().to(device)
data = TensorDataset(torch.rand(8, 3), torch.rand(8, 4), torch.rand(8))
for *given, weight in DataLoader(data, 4):
    print(model(*given).sum().item() * weight.numpy().sum())
print(model(*data.tensors[:2]).sum().item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 2), nn.Linear(4, 2)

    def forward(self, first, second):
        return self.first(first) + self.second(second)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Sum().to(device)
data = TensorDataset(torch.rand(8, 3), torch.rand(8, 4), torch.rand(8))
for *given, weight in DataLoader(data, 4):
    print(model(*(h.to(device) for h in given)).sum().item() * weight.numpy().sum())
print(model(*(h.to(device) for h in data.tensors[:2])).sum().item())

# case: of what is spread into a module, only a part belongs on the device
import torch
from torch import nn


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(3, 2, batch_first=True)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        return self.layer(packed)[0].data


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Packed().to(device)
given = torch.rand(2, 4, 3).to(device), torch.tensor([4, 2])
print(model(*given).sum().item())
