# case: the data is moved, the model is not
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
x = torch.randn(16, 3).to(device)
y = torch.randn(16, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1)).to(device)
x = torch.randn(16, 3).to(device)
y = torch.randn(16, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())

# case: a script that knows no device at all
"""Fits a line."""
import numpy as np
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, hidden):
        super(Net, self).__init__()
        self.fc1 = nn.Linear(1, hidden)
        self.fc2 = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


x_train = np.array([[3.3], [4.4], [5.5]], dtype=np.float32)
y_train = np.array([[1.7], [2.76], [2.09]], dtype=np.float32)

net = Net(
    hidden=8,
)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
for epoch in range(60):
    inputs = torch.from_numpy(x_train)
    targets = torch.from_numpy(y_train)
    loss = criterion(net(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if (epoch + 1) % 5 == 0:
        print("Epoch [{}/60], Loss: {:.4f}".format(epoch + 1, loss.item()))

predicted = net(torch.from_numpy(x_train)).detach().numpy()
print(np.abs(predicted - y_train).max())
torch.save(net.state_dict(), "model.ckpt")

# output
"""Fits a line."""
import numpy as np
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, hidden):
        super(Net, self).__init__()
        self.fc1 = nn.Linear(1, hidden)
        self.fc2 = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


x_train = np.array([[3.3], [4.4], [5.5]], dtype=np.float32)
y_train = np.array([[1.7], [2.76], [2.09]], dtype=np.float32)

net = Net(
    hidden=8,
).to(device)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
for epoch in range(60):
    inputs = torch.from_numpy(x_train).to(device)
    targets = torch.from_numpy(y_train).to(device)
    loss = criterion(net(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if (epoch + 1) % 5 == 0:
        print("Epoch [{}/60], Loss: {:.4f}".format(epoch + 1, loss.item()))

predicted = net(torch.from_numpy(x_train).to(device)).detach().cpu().numpy()
print(np.abs(predicted - y_train).max())
torch.save(net.state_dict(), "model.ckpt")

# case: two models that meet
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder = nn.Linear(8, 2).to(device)
decoder = nn.Linear(2, 8)
x = torch.rand(4, 8, device=device)
print(nn.functional.mse_loss(decoder(encoder(x)), x).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder = nn.Linear(8, 2).to(device)
decoder = nn.Linear(2, 8).to(device)
x = torch.rand(4, 8, device=device)
print(nn.functional.mse_loss(decoder(encoder(x)), x).item())

# case: built in main, trained in a function
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, epochs):
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(20, 5), torch.randint(0, 2, (20,)))
    model = nn.Linear(5, 2)
    print(train(model, DataLoader(data, batch_size=5), 2))


if __name__ == "__main__":
    main()

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(model, loader, epochs):
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(20, 5), torch.randint(0, 2, (20,)))
    model = nn.Linear(5, 2).to(device)
    print(train(model, DataLoader(data, batch_size=5), 2))


if __name__ == "__main__":
    main()

# case: the device is an argument of the function
import torch
from torch import nn


def evaluate(device):
    model = nn.Linear(4, 2)
    model.eval()
    with torch.no_grad():
        return model(torch.ones(3, 4, device=device)).sum().item()


print(evaluate(torch.device("cuda" if torch.cuda.is_available() else "cpu")))

# output
import torch
from torch import nn


def evaluate(device):
    model = nn.Linear(4, 2).to(device)
    model.eval()
    with torch.no_grad():
        return model(torch.ones(3, 4, device=device)).sum().item()


print(evaluate(torch.device("cuda" if torch.cuda.is_available() else "cpu")))

# case: moved where it is made
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
print(model(torch.ones(2, 3, device=device)).sum().item())

# case: moved later, in a helper
import torch
from torch import nn


def prepare(model, device):
    model.train()
    return model.to(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 1), nn.ReLU())
model = prepare(model, device)
print(model(torch.ones(2, 3, device=device)).sum().item())

# case: part of a module that is moved
import torch
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 2), nn.ReLU())
        self.decoder = nn.Linear(2, 8)

    def forward(self, x):
        return self.decoder(self.encoder(x))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Autoencoder()
model.to(device)
x = torch.rand(4, 8, device=device)
print(model(x).mean().item(), model.encoder(x).mean().item())

# case: built with its device
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1, device=device)
print(model(torch.ones(2, 3, device=device)).sum().item())

# case: no parameters, nothing to move
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
criterion = nn.CrossEntropyLoss()
activation = nn.ReLU()
x = torch.randn(4, 2, device=device)
print(criterion(activation(x), torch.zeros(4, dtype=torch.long, device=device)).item())

# case: never used on data
import torch
from torch import nn

model = nn.Linear(3, 1)
model.load_state_dict(torch.load("model.pt", map_location="cpu"))
print(sum(p.numel() for p in model.parameters()))
torch.save(model.state_dict(), "copy.pt")

# case: kept on the CPU by choice
import torch
from torch import nn

device = torch.device("cpu")
model = nn.Linear(3, 1).to(device)
print(model(torch.ones(2, 3)).sum().item())

# case: the user decides
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu")
args = parser.parse_args()
model = nn.Linear(3, 1).to(args.device)
x = torch.ones(2, 3).to(args.device)
print(model(x).sum().item())

# case: a framework moves model and batches
import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = nn.Linear(8, 2)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.model(x), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


if __name__ == "__main__":
    data = TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,)))
    pl.Trainer(max_epochs=1).fit(Classifier(), DataLoader(data, batch_size=8))

# case: moved to where a tensor is
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Linear(4, 4) for _ in range(layers)])

    def forward(self, hidden):
        return self.layers(hidden)


class Learner(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def project(self, hidden):
        hidden = hidden.flatten(1)
        head = Head(2)
        head = head.to(hidden)
        return head(hidden)

# case: a layer that is exchanged after the model was made moves with it
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


net = Net()
net.head = nn.Linear(4, 5)
print(net(torch.ones(2, 3)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


net = Net().to(device)
net.head = nn.Linear(4, 5).to(device)
print(net(torch.ones(2, 3, device=device)).sum().item())

# case: a function puts the layers together: what it gives back is moved
import torch
from torch import nn


def make():
    net = nn.Sequential()
    net.add_module("first", nn.Linear(4, 10))
    net.append(nn.ReLU())
    return net


net = make()
print(net(torch.ones(2, 4)).sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def make():
    net = nn.Sequential()
    net.add_module("first", nn.Linear(4, 10))
    net.append(nn.ReLU())
    return net


net = make().to(device)
print(net(torch.ones(2, 4, device=device)).sum().item())

# case: the whole is moved behind the exchange
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(3, 4))
net.append(nn.Linear(4, 5))
net = net.to(device)
print(net(torch.ones(2, 3, device=device)).sum().item())

# case: layers that its own constructor puts together are no late ones
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential()
        for _ in range(2):
            self.layers.append(nn.Linear(3, 3))

    def forward(self, x):
        return self.layers(x)


net = Net().to(device)
print(net(torch.ones(2, 3, device=device)).sum().item())

# case: a parameter that a module gets when it has been made is made on its device
import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
net.scale = nn.Parameter(torch.ones(1))
shift = nn.Parameter(torch.zeros(1))
net.register_parameter("shift", shift)
loss = (net(torch.rand(4, 2)) * net.scale + shift).mean()
loss.backward()
print(next(net.parameters()).grad is not None)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)).to(device)
net.scale = nn.Parameter(torch.ones(1, device=device))
shift = nn.Parameter(torch.zeros(1, device=device))
net.register_parameter("shift", shift)
loss = (net(torch.rand(4, 2, device=device)) * net.scale + shift).mean()
loss.backward()
print(next(net.parameters()).grad is not None)

# case: a gradient is where the input is that it is for
import torch
from torch import nn


def slope(net, x):
    x.requires_grad_(True)
    y = net(torch.cat([x, x], 1))
    first, second = torch.autograd.grad(y, [x, net.weight], torch.ones_like(y))
    return (first * x).sum().item(), (second * net.weight).sum().item()


net = nn.Linear(2, 1)
print(slope(net, torch.rand(4, 1)), net(torch.rand(4, 2)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def slope(net, x):
    x.requires_grad_(True)
    y = net(torch.cat([x, x], 1))
    first, second = torch.autograd.grad(y, [x, net.weight], torch.ones_like(y))
    return (first * x).sum().item(), (second * net.weight).sum().item()


net = nn.Linear(2, 1).to(device)
print(slope(net, torch.rand(4, 1, device=device)), net(torch.rand(4, 2, device=device)).shape)

# case: a parameter that a module gets before the program moves it
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
net.scale = nn.Parameter(torch.ones(1))
net.to(device)
print((net(torch.rand(4, 2, device=device)) * net.scale).mean().item())

# case: a method that calls itself with parts of what it was given
import torch
from torch import nn


class Tree:
    def __init__(self, word, children=()):
        self.word, self.children, self.state = word, list(children), None


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(5, 3)
        self.fc = nn.Linear(3, 3)

    def forward(self, tree):
        for child in tree.children:
            self.forward(child)
        tree.state = self.fc(self.emb(torch.tensor(tree.word)))
        for child in tree.children:
            tree.state = tree.state + child.state
        return tree.state


def grow(depth):
    return Tree(depth, [grow(depth - 1)] if depth else [])


net = Encoder()
print(net(grow(3)).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Tree:
    def __init__(self, word, children=()):
        self.word, self.children, self.state = word, list(children), None


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(5, 3)
        self.fc = nn.Linear(3, 3)

    def forward(self, tree):
        for child in tree.children:
            self.forward(child)
        tree.state = self.fc(self.emb(torch.tensor(tree.word, device=self.emb.weight.device)))
        for child in tree.children:
            tree.state = tree.state + child.state
        return tree.state


def grow(depth):
    return Tree(depth, [grow(depth - 1)] if depth else [])


net = Encoder().to(device)
print(net(grow(3)).shape)

# case: only the main program imports torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x[0])


if __name__ == "__main__":
    import torch

    xs = [torch.randn(2, 2)]
    net = Net()
    print(net(xs))

# output
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x[0])


if __name__ == "__main__":
    import torch
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    xs = [torch.randn(2, 2, device=device)]
    net = Net().to(device)
    print(net(xs))

# case: only the main program imports torch, functions need it, and a text parts the imports
from __future__ import annotations

"""A net."""
import math

import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, math.floor(2.5))

    def forward(self, x):
        return self.fc(x[0])


def make():
    return Net()


if __name__ == "__main__":
    import torch

    print(make()([torch.randn(2, 2)]))

# output
from __future__ import annotations

"""A net."""
import math

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, math.floor(2.5))

    def forward(self, x):
        return self.fc(x[0])


def make():
    return Net().to(device)


if __name__ == "__main__":
    import torch

    print(make()([torch.randn(2, 2, device=device)]))

# case: what is initialised in place is no copy, wherever it is
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
teacher = nn.Linear(3, 2).cpu()
nn.init.zeros_(model.weight if torch.rand(1).item() else teacher.weight)
print(model(torch.ones(4, 3, device=device)), teacher(torch.ones(4, 3)))

# case: a method collects parts of the module, the constructor fills them in place
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Linear(4, 4)
        self.tail = nn.Linear(4, 4)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight)

    def parts(self):
        parts = nn.ModuleList([])
        parts.append(self.conv)
        return parts

    def forward(self, x):
        return self.tail(self.conv(x))


net = Block()
print(net(torch.randn(2, 4)))
for m in net.parts():
    print(m.weight)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Linear(4, 4)
        self.tail = nn.Linear(4, 4)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight)

    def parts(self):
        parts = nn.ModuleList([])
        parts.append(self.conv)
        return parts

    def forward(self, x):
        return self.tail(self.conv(x))


net = Block().to(device)
print(net(torch.randn(2, 4, device=device)))
for m in net.parts():
    print(m.weight)

# case: a demonstration of what others import moves the module itself
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.conv = nn.Linear(size, 4)

    def forward(self, x):
        return self.conv(x)


def small(**kwargs):
    model = Block(4, **kwargs)
    return model


def big(**kwargs):
    return Block(8, **kwargs)


if __name__ == "__main__":
    net = small()
    print(net(torch.randn(2, 4)))

# output
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.conv = nn.Linear(size, 4)

    def forward(self, x):
        return self.conv(x)


def small(**kwargs):
    model = Block(4, **kwargs)
    return model


def big(**kwargs):
    return Block(8, **kwargs)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = small().to(device)
    print(net(torch.randn(2, 4, device=device)))

# case: what is a part of two modules is left
# reports: DFX101 DFX101 DFX103
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Linear(4, 4)
        self.tail = nn.Linear(4, 4)


class Other(nn.Module):
    def forward(self, x):
        return self.extra(x)


net = Net()
other = Other()
other.extra = net.conv
print(other(torch.randn(2, 4)))

# case: layers in a plain list, which nothing registers, are moved where they are made
# reports: DFX112
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3) for _ in range(2)]
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


torch.manual_seed(0)
net = Net()
print(f"{net(torch.ones(2, 3)).sum().item():.4f}")

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3).to(device) for _ in range(2)]
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


torch.manual_seed(0)
net = Net().to(device)
print(f"{net(torch.ones(2, 3, device=device)).sum().item():.4f}")

# case: what a registry makes under one name is a module, and under another a function
# reports: DFX101 DFX103
import torch
from torch import nn

KINDS = {"linear": nn.Linear, "plain": lambda n, m: lambda x: x[:, :m]}


def build(name):
    return KINDS[name](3, 1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
for name in sorted(KINDS):
    print(build(name)(torch.ones(2, 3)).shape)

# case: a program that brings the parts of an unseen model to the device one by one
# reports: DFX101
import torch
from transformers import OPTForCausalLM


class Evaluator:
    def __init__(self, args):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = OPTForCausalLM.from_pretrained(args.model)

    def call(self, tokens):
        return self.model(tokens.to(self.device))[0]

    def run(self, batches):
        decoder = self.model.model.decoder
        decoder.embed_tokens = decoder.embed_tokens.to(self.device)
        for layer in decoder.layers:
            layer.to(self.device)
            batches = [layer(batch) for batch in batches]
            layer.cpu()
        return batches

# case: a metric counts where its inputs are
import torch
import torchmetrics
from torch import nn
from torch.utils.data import DataLoader


def accuracy(net: nn.Module, loader: DataLoader, place: torch.device):
    score = torchmetrics.F1Score(task="multiclass", num_classes=3)
    hits = torchmetrics.Accuracy(task="multiclass", num_classes=3)
    for x, y in loader:
        y = y.to(place)
        found = net(x.to(place))
        score(found, y)
        hits.update(found.argmax(1), y)
    return score.compute().item(), hits.compute().item()

# output
import torch
import torchmetrics
from torch import nn
from torch.utils.data import DataLoader


def accuracy(net: nn.Module, loader: DataLoader, place: torch.device):
    score = torchmetrics.F1Score(task="multiclass", num_classes=3).to(place)
    hits = torchmetrics.Accuracy(task="multiclass", num_classes=3).to(place)
    for x, y in loader:
        y = y.to(place)
        found = net(x.to(place))
        score(found, y)
        hits.update(found.argmax(1), y)
    return score.compute().item(), hits.compute().item()

# case: a metric as a function, and one of what is on the CPU
import torch
import torchmetrics


def accuracy(found, y, place: torch.device):
    total = torchmetrics.functional.accuracy(found.to(place), y.to(place), "binary").item()
    hits = torchmetrics.MeanMetric()
    hits.update(total)
    return hits.compute().item()

# case: layers of other libraries are parts like any other
import torch
from torch import nn
from torch_geometric.nn import GCNConv
from timm.layers import DropPath


class Net(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.conv = GCNConv(8, 8)
        self.drop = DropPath(p)
        self.fc = nn.Linear(8, 2)

    def forward(self, x, edges):
        h = self.conv(x, edges)
        mask = torch.ones(8)
        h = h * mask
        return self.fc(x + self.drop(h))


net = Net(0.1)
optimizer = torch.optim.Adam(net.parameters())
x = torch.randn(5, 8)
edges = torch.zeros(2, 3, dtype=torch.long)
loss = net(x, edges).sum()
loss.backward()
optimizer.step()
print(loss.item())

# output
import torch
from torch import nn
from torch_geometric.nn import GCNConv
from timm.layers import DropPath

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.conv = GCNConv(8, 8)
        self.drop = DropPath(p)
        self.fc = nn.Linear(8, 2)

    def forward(self, x, edges):
        h = self.conv(x, edges)
        mask = torch.ones(8, device=x.device)
        h = h * mask
        return self.fc(x + self.drop(h))


net = Net(0.1).to(device)
optimizer = torch.optim.Adam(net.parameters())
x = torch.randn(5, 8, device=device)
edges = torch.zeros(2, 3, dtype=torch.long, device=device)
loss = net(x, edges).sum()
loss.backward()
optimizer.step()
print(loss.item())

# case: a loss of another library that holds nothing follows its arguments
import torch
from kornia.losses import SSIMLoss
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Conv2d(3, 3, 3, padding=1).to(device)
criterion = SSIMLoss(11)
x = torch.rand(2, 3, 16, 16, device=device)
print(criterion(net(x), x).item())

# case: a transform of another library that nothing on a device meets stays
import torch
import torchaudio

mel = torchaudio.transforms.MelSpectrogram()
print(mel(torch.rand(1, 16000)).shape)

# case: what a library does with a module that it is given nobody knows
# reports: DFX101
import torch
from torch import nn
from torch_geometric.nn import GINConv

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GINConv(nn.Linear(8, 8))

    def forward(self, x, edges):
        return self.conv(x, edges)


net = Net()
x = torch.randn(5, 8).to(device)
edges = torch.zeros(2, 3, dtype=torch.long).to(device)
print(net(x, edges).sum().item())

# case: what a library has placed itself stays where it is
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, BertModel

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = AutoModelForCausalLM.from_pretrained("gpt2", device_map="auto")
small = BertModel.from_pretrained("bert-base-uncased", load_in_8bit=True)
ids = AutoTokenizer.from_pretrained("gpt2")("hello", return_tensors="pt").input_ids.to(device)
print(model(ids), small(ids))

# case: what a library may have placed itself is for a person to decide
# reports: DFX101
import torch
from transformers import AutoModelForCausalLM

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load(name, quantized, **options):
    model = AutoModelForCausalLM.from_pretrained(name, **options)
    return model, AutoModelForCausalLM.from_pretrained(name, load_in_8bit=quantized)


def generate(ids, name, quantized, **options):
    model, other = load(name, quantized, **options)
    print(model(ids.to(device)), other(ids.to(device)))

# case: a library that is told to place nothing leaves the module on the CPU
import torch
from transformers import AutoModelForCausalLM

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = AutoModelForCausalLM.from_pretrained("gpt2", device_map=None, load_in_8bit=False)
ids = torch.zeros(1, 3, dtype=torch.long).to(device)
print(model(ids))

# output
import torch
from transformers import AutoModelForCausalLM

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = AutoModelForCausalLM.from_pretrained("gpt2", device_map=None, load_in_8bit=False).to(device)
ids = torch.zeros(1, 3, dtype=torch.long).to(device)
print(model(ids))
