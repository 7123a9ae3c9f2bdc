# case: a tuple
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 2).to(device)
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,))), batch_size=8)
for inputs, targets in loader:
    loss = nn.functional.cross_entropy(model(inputs), targets)
    print(loss.item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 2).to(device)
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,))), batch_size=8)
for inputs, targets in loader:
    inputs, targets = inputs.to(device), targets.to(device)
    loss = nn.functional.cross_entropy(model(inputs), targets)
    print(loss.item())

# case: enumerate and tqdm, pinned, with a comment
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(8, 1).to(dev)
train_loader = DataLoader(
    TensorDataset(torch.randn(32, 8), torch.randn(32, 1)), batch_size=8, pin_memory=True
)
for epoch in range(2):
    for step, (x, y) in enumerate(tqdm(train_loader)):
        # forward
        loss = nn.functional.mse_loss(net(x), y)
        if step % 2 == 0:
            print(epoch, step, loss.item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(8, 1).to(dev)
train_loader = DataLoader(
    TensorDataset(torch.randn(32, 8), torch.randn(32, 1)), batch_size=8, pin_memory=True
)
for epoch in range(2):
    for step, (x, y) in enumerate(tqdm(train_loader)):
        x, y = x.to(dev, non_blocking=True), y.to(dev, non_blocking=True)
        # forward
        loss = nn.functional.mse_loss(net(x), y)
        if step % 2 == 0:
            print(epoch, step, loss.item())

# case: zip of two loaders, tabs
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 4).to(device)
source = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)
target = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)
for (a,), (b,) in zip(source, target):
	gap = model(a).mean() - model(b).mean()
	print(gap.item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 4).to(device)
source = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)
target = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)
for (a,), (b,) in zip(source, target):
	a, b = a.to(device), b.to(device)
	gap = model(a).mean() - model(b).mean()
	print(gap.item())

# case: a dict
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Reviews(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return {"ids": torch.full((5,), index), "label": torch.tensor(index % 2), "key": str(index)}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Embedding(8, 4), nn.Flatten(), nn.Linear(20, 2)).to(device)
for batch in DataLoader(Reviews(), batch_size=4):
    ids, label = batch["ids"], batch["label"]
    loss = nn.functional.cross_entropy(model(ids), label)
    print(batch["key"], loss.item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Reviews(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return {"ids": torch.full((5,), index), "label": torch.tensor(index % 2), "key": str(index)}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Embedding(8, 4), nn.Flatten(), nn.Linear(20, 2)).to(device)
for batch in DataLoader(Reviews(), batch_size=4):
    ids, label = batch["ids"].to(device), batch["label"].to(device)
    loss = nn.functional.cross_entropy(model(ids), label)
    print(batch["key"], loss.item())

# case: nested, and only what the model sees
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
embedding = nn.Embedding(30, 3).to(device)
model = nn.GRU(3, 5, batch_first=True).to(device)
data = TensorDataset(torch.randint(30, (8, 6)), torch.full((8,), 4), torch.arange(8))
for i, (x, lengths, keys) in enumerate(DataLoader(data, batch_size=4)):
    packed = nn.utils.rnn.pack_padded_sequence(embedding(x), lengths, batch_first=True)
    output, hidden = model(packed)
    print(i, keys.tolist(), hidden.sum().item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
embedding = nn.Embedding(30, 3).to(device)
model = nn.GRU(3, 5, batch_first=True).to(device)
data = TensorDataset(torch.randint(30, (8, 6)), torch.full((8,), 4), torch.arange(8))
for i, (x, lengths, keys) in enumerate(DataLoader(data, batch_size=4)):
    x = x.to(device)
    packed = nn.utils.rnn.pack_padded_sequence(embedding(x), lengths, batch_first=True)
    output, hidden = model(packed)
    print(i, keys.tolist(), hidden.sum().item())

# case: reshaped and wrapped below the header
import torch
import torchvision
import torchvision.transforms as transforms
from torch.autograd import Variable

use_cuda = torch.cuda.is_available()
model = torch.nn.Linear(784, 10)
if use_cuda:
    model.cuda()
test = torchvision.datasets.MNIST("data", train=False, transform=transforms.ToTensor())
loader = torch.utils.data.DataLoader(dataset=test, batch_size=100, shuffle=False)
correct = 0
for images, labels in loader:
    images = Variable(images.view(-1, 28 * 28))
    outputs = model(images)
    _, predicted = torch.max(outputs.data, 1)
    correct += (predicted == labels).sum().item()
print(correct)

# output
import torch
import torchvision
import torchvision.transforms as transforms

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = torch.nn.Linear(784, 10)
model.to(device)
test = torchvision.datasets.MNIST("data", train=False, transform=transforms.ToTensor())
loader = torch.utils.data.DataLoader(dataset=test, batch_size=100, shuffle=False)
correct = 0
for images, labels in loader:
    images, labels = images.to(device), labels.to(device)
    images = images.view(-1, 28 * 28)
    outputs = model(images)
    _, predicted = torch.max(outputs.data, 1)
    correct += (predicted == labels).sum().item()
print(correct)

# case: one batch to look at
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 2).to(device)
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,))), batch_size=8)
x, y = next(iter(loader))
print("first", nn.functional.cross_entropy(model(x), y).item())
for (x, y) in loader: print(nn.functional.cross_entropy(model(x.to(device)), y.to(device)).item())
for (
    x,
    y,
) in loader:
    print(nn.functional.cross_entropy(model(x), y).item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 2).to(device)
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,))), batch_size=8)
x, y = next(iter(loader))
x, y = x.to(device), y.to(device)
print("first", nn.functional.cross_entropy(model(x), y).item())
for (x, y) in loader: print(nn.functional.cross_entropy(model(x.to(device)), y.to(device)).item())
for (
    x,
    y,
) in loader:
    x, y = x.to(device), y.to(device)
    print(nn.functional.cross_entropy(model(x), y).item())

# case: the body stands on the line of the loop
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 2).to(device)
loader = DataLoader(TensorDataset(torch.randn(32, 8)), batch_size=8)
for x, in loader: print(model(x).sum().item())
for x, in loader:
    print(model(x).mean().item(), model(2 * x).mean().item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 2).to(device)
loader = DataLoader(TensorDataset(torch.randn(32, 8)), batch_size=8)
for x, in loader: print(model(x.to(device)).sum().item())
for x, in loader:
    x = x.to(device)
    print(model(x).mean().item(), model(2 * x).mean().item())

# case: moved in the body
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 2).to(device)
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,))), batch_size=8)
for inputs, targets in loader:
    inputs = inputs.to(device)
    loss = nn.functional.cross_entropy(model(inputs), targets.to(device))
    print(loss.item())

# case: moved by a helper, whole batches at a time
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(8, 2).to(device)


def to_device(batch, device):
    return [t.to(device) for t in batch]


loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,))), batch_size=8)
for batch in loader:
    inputs, targets = to_device(batch, device)
    print(nn.functional.cross_entropy(model(inputs), targets).item())
for batch in loader:
    inputs, targets = (t.to(device) for t in batch)
    print(nn.functional.cross_entropy(model(inputs), targets).item())

# case: only the host looks at the batch
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = torch.ones(8, device=device)
mean = np.zeros(8)
for (x,) in DataLoader(TensorDataset(torch.randn(32, 8)), batch_size=8):
    mean += x.numpy().mean(axis=0)
print(mean, weights.sum().item())

# case: a dict that is moved by a comprehension
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return {"x": torch.full((5,), float(index)), "y": torch.tensor(index % 2)}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(5, 2).to(device)
for batch in DataLoader(Points(), batch_size=4):
    batch = {k: v.to(device) for k, v in batch.items()}
    print(nn.functional.cross_entropy(model(batch["x"]), batch["y"]).item())

# case: a batch that is moved where it holds tensors
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return {"x": torch.ones(5), "y": torch.tensor(index % 2), "name": str(index)}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(5, 2).to(device)
for batch in DataLoader(Points(), batch_size=4):
    batch = {k: v.to(device) if torch.is_tensor(v) else v for k, v in batch.items()}
    print(nn.functional.cross_entropy(model(batch["x"]), batch["y"]).item())

# case: a library moves model and batches
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
model = nn.Linear(8, 2)
optimizer = torch.optim.Adam(model.parameters())
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,))), batch_size=8)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for inputs, targets in loader:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs), targets)
    accelerator.backward(loss)
    optimizer.step()

# case: a sum over a loader, without a model
import torch
from torch.utils.data import DataLoader, TensorDataset

total = torch.zeros(8)
count = 0
for (x,) in DataLoader(TensorDataset(torch.randn(32, 8)), batch_size=8):
    total += x.sum(0)
    count += len(x)
print((total / count).tolist())

# case: a list of numbers
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(1, 1).to(device)
for x, y in zip([1.0, 2.0], [2.0, 4.0]):
    loss = model(torch.tensor([x], device=device)) - y
    print(loss.item())

# case: a model that stays on the CPU
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cpu")
model = nn.Linear(8, 2).to(device)
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,))), batch_size=8)
for inputs, targets in loader:
    print(nn.functional.cross_entropy(model(inputs), targets).item())

# case: a batch whose keys are asked for one by one is a dict, and has no `.to`
import torch
from torch import nn
from torch.utils.data import DataLoader

from somewhere import dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, batch):
        return self.layer(batch["x"])


net = Net().to(device)
for batch in DataLoader(dataset, batch_size=4):
    for k in batch:
        if k != "meta":
            batch[k] = batch[k].to(device)
    print(net(batch))

# case: the dataset holds tensors of the device, so its batches are there
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
x = torch.rand(64, 3).to(device)
y = torch.randint(2, (64,), device=device)
for xb, yb in DataLoader(TensorDataset(x, y), batch_size=4):
    nn.functional.cross_entropy(model(xb), yb).backward()

# case: a default device holds for the tensors of a dataset, too
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")


def samples(count):
    x = torch.rand(count, 3)
    return TensorDataset(x, torch.randint(2, (count,)))


model = nn.Linear(3, 2)
for xb, yb in DataLoader(samples(64), batch_size=4):
    nn.functional.cross_entropy(model(xb), yb).backward()

# case: annotations say what nobody is seen to hand over
import torch
from torch import nn
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, net: nn.Module, place: torch.device):
        self.place = place
        self.net = net.to(place)
        self.criterion = nn.CrossEntropyLoss()

    def fit(self, loader: DataLoader):
        for x, y in loader:
            out = self.net(x.to(self.place))
            print(self.criterion(out, y).item(), (out.argmax(1) == y).sum().item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, net: nn.Module, place: torch.device):
        self.place = place
        self.net = net.to(place)
        self.criterion = nn.CrossEntropyLoss()

    def fit(self, loader: DataLoader):
        for x, y in loader:
            y = y.to(self.place)
            out = self.net(x.to(self.place))
            print(self.criterion(out, y).item(), (out.argmax(1) == y).sum().item())

# case: nothing says that the loader gives batches of the CPU, or that anything is elsewhere
import torch
from torch import nn
from torch.utils.data import DataLoader


def score(net: nn.Module, batches, place: torch.device):
    for x, y in batches:
        print(net(x), y)


def sizes(loader: DataLoader, place: torch.device):
    return [(x.sum() + y.sum()).item() for x, y in loader]
