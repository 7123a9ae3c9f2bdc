# case: beside the device of the scope
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 1).to(device)
noise = torch.randn(16, 8)
target = torch.zeros(
    16,
    1,
)
print(torch.nn.functional.mse_loss(model(noise), target).item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 1).to(device)
noise = torch.randn(16, 8, device=device)
target = torch.zeros(
    16,
    1,
    device=device,
)
print(torch.nn.functional.mse_loss(model(noise), target).item())

# case: in forward, the device of the input
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.query = nn.Linear(size, size)

    def forward(self, x):
        length = x.size(1)
        mask = torch.ones(length, length).tril()
        positions = torch.arange(length)  # 0, 1, …
        scores = self.query(x) @ x.transpose(1, 2)
        scores = scores.masked_fill(mask == 0, float("-inf"))
        return scores.softmax(-1) * positions


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Attention(4).to(device)
    print(model(torch.rand(2, 3, 4, device=device)).sum().item())


main()

# output
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.query = nn.Linear(size, size)

    def forward(self, x):
        length = x.size(1)
        mask = torch.ones(length, length, device=x.device).tril()
        positions = torch.arange(length, device=x.device)  # 0, 1, …
        scores = self.query(x) @ x.transpose(1, 2)
        scores = scores.masked_fill(mask == 0, float("-inf"))
        return scores.softmax(-1) * positions


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Attention(4).to(device)
    print(model(torch.rand(2, 3, 4, device=device)).sum().item())


main()

# case: a hidden state that is made elsewhere
import torch
from torch import nn


class RNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.RNNCell(3, 5)

    def forward(self, x, h):
        return self.cell(x, h)

    def init_hidden(self):
        return torch.zeros(1, 5)


rnn = RNN()
if torch.cuda.is_available():
    rnn.cuda()
hidden = rnn.init_hidden()
for step in range(4):
    hidden = rnn(torch.randn(1, 3), hidden)
print(hidden.sum().item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class RNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.RNNCell(3, 5)

    def forward(self, x, h):
        return self.cell(x, h)

    def init_hidden(self):
        return torch.zeros(1, 5, device=next(self.parameters()).device)


rnn = RNN()
rnn.to(device)
hidden = rnn.init_hidden()
for step in range(4):
    hidden = rnn(torch.randn(1, 3, device=device), hidden)
print(hidden.sum().item())

# case: arguments of every kind
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.rand(3, device=device)
shape = (2, 3)
options = {"dtype": torch.float32}
a = torch.full(size=shape, fill_value=2.0, dtype=torch.float32)
b = torch.eye(3)[0]
c = torch.ones(*shape)
d = torch.zeros(shape, **options)
e = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
print((weight * a + weight * b + weight * c + weight * d + weight * e).sum().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.rand(3, device=device)
shape = (2, 3)
options = {"dtype": torch.float32}
a = torch.full(size=shape, fill_value=2.0, dtype=torch.float32, device=device)
b = torch.eye(3, device=device)[0]
c = torch.ones(*shape, device=device)
d = torch.zeros(shape, **options).to(device)
e = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True, device=device)
print((weight * a + weight * b + weight * c + weight * d + weight * e).sum().item())

# case: labels of a GAN
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = nn.Linear(4, 8).to(device)
critic = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid()).to(device)
bce = nn.BCELoss()
for (real,) in DataLoader(TensorDataset(torch.rand(16, 8)), batch_size=8):
    real = real.to(device)
    ones, zeros = torch.ones(real.size(0), 1), torch.zeros(real.size(0), 1)
    fake = generator(torch.randn(real.size(0), 4))
    print((bce(critic(real), ones) + bce(critic(fake), zeros)).item())

# output
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = nn.Linear(4, 8).to(device)
critic = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid()).to(device)
bce = nn.BCELoss()
for (real,) in DataLoader(TensorDataset(torch.rand(16, 8)), batch_size=8):
    real = real.to(device)
    ones, zeros = torch.ones(real.size(0), 1, device=device), torch.zeros(real.size(0), 1, device=device)
    fake = generator(torch.randn(real.size(0), 4, device=device))
    print((bce(critic(real), ones) + bce(critic(fake), zeros)).item())

# case: a device chosen, and no tensor on it
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.randn(300, 300)
for _ in range(10):
    a = a @ a / a.norm()
print(a.trace().item())

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.randn(300, 300, device=device)
for _ in range(10):
    a = a @ a / a.norm()
print(a.trace().item())

# case: it has a device
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 1).to(device)
x = torch.randn(16, 8, device=device)
y = torch.zeros(16, 1).to(device)
z = torch.ones(16, 1, device=x.device)
print((model(x) - y + z).sum().item())

# case: made like another, or by its methods
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 1).to(device)
x = torch.randn(16, 8, device=device)
noisy = x + torch.randn_like(x) + x.new_zeros(16, 8) + torch.empty_like(x).fill_(0.5)
print((model(noisy) - torch.ones_like(model(x))).sum().item())

# case: parameters and buffers travel with their module
import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, length, size):
        super().__init__()
        table = torch.zeros(length, size)
        table[:, 0] = torch.arange(length)
        self.register_buffer("table", table)
        self.scale = nn.Parameter(torch.ones(size))
        self.linear = nn.Linear(size, size)

    def forward(self, x):
        return self.linear(x + self.table) * self.scale


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Positions(3, 4).to(device)
print(model(torch.rand(2, 3, 4, device=device)).sum().item())

# case: workers stay on the host
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler


class Waves(Dataset):
    def __init__(self):
        self.phase = torch.linspace(0, 3, 8)

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.sin(torch.arange(5) + self.phase[index]), torch.tensor(index % 2)


class Shuffled(Sampler):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __iter__(self):
        return iter(torch.randperm(self.size).tolist())


def collate(samples):
    xs, ys = zip(*samples)
    padded = torch.zeros(len(xs), 6)
    padded[:, :5] = torch.stack(xs)
    return padded, torch.stack(ys)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(6, 2).to(device)
for x, y in DataLoader(Waves(), batch_size=4, sampler=Shuffled(8), collate_fn=collate):
    x, y = x.to(device), y.to(device)
    print(nn.functional.cross_entropy(model(x), y).item())

# case: numbers that stand beside device tensors
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 1).to(device)
x = torch.randn(16, 8, device=device)
scale = torch.tensor(2.0)
print((model(x * scale) / torch.tensor(3.0)).sum().item())

# case: only the host uses it
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 1).to(device)
order = torch.randperm(16)
x = torch.randn(16, 8, device=device)
for index in order.tolist():
    print(index, model(x[index]).item())
print(torch.arange(3).numpy(), torch.zeros(2))

# case: the generator lives on the CPU
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 1).to(device)
generator = torch.Generator().manual_seed(0)
x = torch.randn(16, 8, generator=generator).to(device)
print(model(x).sum().item())

# case: another library's zeros
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 1).to(device)
x = np.zeros((16, 8), dtype=np.float32)
print(model(torch.as_tensor(x, device=device)).sum().item(), np.ones(3).sum())

# case: no accelerator in sight
import torch

a = torch.zeros(3)
a[0] = 1.0
print(a, torch.ones(3).tolist())

# case: a size that is given by position
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
print(model(torch.normal(0.0, 1.0, (4, 3))).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
print(model(torch.normal(0.0, 1.0, (4, 3), device=device)).shape)

# case: made of tensors, it is where they are
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scale = nn.Parameter(torch.ones(3, device=device))
noise = torch.normal(0.0, scale.detach() * 0.1)
print((torch.zeros(3, device=device) + noise).shape)

# case: a copy of DataParallel has no parameters to ask, but tensors
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, inputs):
        if self.training:
            x, scale = inputs
        else:
            x = inputs
        scores = self.fc(x)
        if scores.sum() == 0:
            return [torch.zeros(0), torch.zeros(0, 4)]
        return [scores[:, 0], scores]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.DataParallel(Net().to(device))
    first, _ = net([torch.ones(2, 3, device=device), 2.0])
    first.sum().backward()
    net.eval()
    with torch.no_grad():
        first, scores = net(torch.ones(2, 3, device=device))
        print(first.cpu().shape, scores.cpu().shape)


main()

# output
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, inputs):
        if self.training:
            x, scale = inputs
        else:
            x = inputs
        scores = self.fc(x)
        if scores.sum() == 0:
            return [torch.zeros(0, device=scores.device), torch.zeros(0, 4, device=scores.device)]
        return [scores[:, 0], scores]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.DataParallel(Net().to(device))
    first, _ = net([torch.ones(2, 3, device=device), 2.0])
    first.sum().backward()
    net.eval()
    with torch.no_grad():
        first, scores = net(torch.ones(2, 3, device=device))
        print(first.cpu().shape, scores.cpu().shape)


main()

# case: a copy of DataParallel that asks a tensor already
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, inputs):
        if self.training:
            x, scale = inputs
        else:
            x = inputs
        scores = self.fc(x)
        if scores.sum() == 0:
            return [torch.zeros(0, device=scores.device), torch.zeros(0, 4, device=scores.device)]
        return [scores[:, 0], scores]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.DataParallel(Net().to(device))
    first, _ = net([torch.ones(2, 3, device=device), 2.0])
    first.sum().backward()
    net.eval()
    with torch.no_grad():
        first, scores = net(torch.ones(2, 3, device=device))
        print(first.cpu().shape, scores.cpu().shape)


main()

# case: the state of an optimizer of the program
import torch
from torch import nn
from torch.optim import Optimizer


class Momentum(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["m"] = torch.zeros(p.shape)
                state["m"] = state["m"] * 0.9 + p.grad
                p.add_(state["m"], alpha=-group["lr"])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
optimizer = Momentum(model.parameters())
for _ in range(3):
    loss = model(torch.rand(4, 3).to(device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())

# output
import torch
from torch import nn
from torch.optim import Optimizer


class Momentum(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["m"] = torch.zeros(p.shape, device=p.device)
                state["m"] = state["m"] * 0.9 + p.grad
                p.add_(state["m"], alpha=-group["lr"])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
optimizer = Momentum(model.parameters())
for _ in range(3):
    loss = model(torch.rand(4, 3).to(device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())

# case: the gradients that an autograd function computes are where its inputs are
import torch
from torch import nn
from torch.autograd import Function


class Sign(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        mask = torch.zeros(x.size())
        mask[x.abs() < 1] = 1
        return grad * mask


net = nn.Linear(3, 3)
Sign.apply(net(torch.ones(2, 3))).sum().backward()
print(net.weight.grad.sum().item())

# output
import torch
from torch import nn
from torch.autograd import Function

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Sign(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        mask = torch.zeros(x.size(), device=x.device)
        mask[x.abs() < 1] = 1
        return grad * mask


net = nn.Linear(3, 3).to(device)
Sign.apply(net(torch.ones(2, 3, device=device))).sum().backward()
print(net.weight.grad.sum().item())

# case: it surely meets a tensor at hand, whatever code that was not seen does with it
import torch
from torch import nn
from unseen import blend

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Loss(nn.Module):
    def forward(self, scores, boxes):
        targets = torch.ones(scores.shape) * -1
        weights = blend(targets)
        if not boxes:
            raise ValueError("no boxes")
        return -(targets * torch.log(scores)).sum(), weights


net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid()).to(device)
loss = Loss()
print(loss(net(torch.ones(2, 3, device=device)), [1, 2]))

# output
import torch
from torch import nn
from unseen import blend

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Loss(nn.Module):
    def forward(self, scores, boxes):
        targets = torch.ones(scores.shape, device=scores.device) * -1
        weights = blend(targets)
        if not boxes:
            raise ValueError("no boxes")
        return -(targets * torch.log(scores)).sum(), weights


net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid()).to(device)
loss = Loss()
print(loss(net(torch.ones(2, 3, device=device)), [1, 2]))

# case: it meets the tensor at hand on one way only
# reports: DFX103
import torch
from torch import nn
from unseen import blend

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Loss(nn.Module):
    def forward(self, scores, boxes):
        targets = torch.ones(scores.shape) * -1
        weights = blend(targets)
        if boxes:
            return -(targets * torch.log(scores)).sum(), weights
        return weights


net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid()).to(device)
loss = Loss()
print(loss(net(torch.ones(2, 3, device=device)), [1, 2]))

# case: another value may be there where the tensor at hand is met
# reports: DFX103
import torch
from torch import nn
from unseen import blend

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Loss(nn.Module):
    def forward(self, scores, boxes):
        targets = torch.ones(scores.shape) * -1
        weights = blend(targets)
        if boxes:
            targets = torch.ones_like(scores)
        return -(targets * torch.log(scores)).sum(), weights


net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid()).to(device)
loss = Loss()
print(loss(net(torch.ones(2, 3, device=device)), [1, 2]))

# case: a loop that may have no turn meets the tensor at hand
# reports: DFX103
import torch
from torch import nn
from unseen import blend

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Loss(nn.Module):
    def forward(self, scores, boxes):
        targets = torch.ones(scores.shape) * -1
        weights = blend(targets)
        total = weights
        for _ in boxes:
            total = total - (targets * torch.log(scores)).sum()
        return total


net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid()).to(device)
loss = Loss()
print(loss(net(torch.ones(2, 3, device=device)), [1, 2]))

# case: nothing but a loop uses it, which meets the tensor at hand
import torch
from torch import nn
from unseen import blend

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Loss(nn.Module):
    def forward(self, scores, boxes):
        targets = torch.ones(scores.shape) * -1
        total = blend(boxes)
        for _ in boxes:
            total = total - (targets * torch.log(scores)).sum()
        return total


net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid()).to(device)
loss = Loss()
print(loss(net(torch.ones(2, 3, device=device)), [1, 2]))

# output
import torch
from torch import nn
from unseen import blend

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Loss(nn.Module):
    def forward(self, scores, boxes):
        targets = torch.ones(scores.shape, device=scores.device) * -1
        total = blend(boxes)
        for _ in boxes:
            total = total - (targets * torch.log(scores)).sum()
        return total


net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid()).to(device)
loss = Loss()
print(loss(net(torch.ones(2, 3, device=device)), [1, 2]))

# case: a field that a dataclass makes for each instance is none of the class
from dataclasses import dataclass, field
import torch
from torch import nn


def choose():
    return "cuda" if torch.cuda.is_available() else "cpu"


@dataclass
class Config:
    hidden: int = 4
    device: str = field(default_factory=choose)


def batch(n):
    x = torch.rand(n, 3)
    return x, torch.rand(n, 3)


def main():
    config = Config()
    net = nn.Linear(3, config.hidden).to(config.device)
    for _ in range(2):
        x, y = batch(2)
        print(net(x).sum() + net(y).sum() + net(x * y).sum())


main()

# output
from dataclasses import dataclass, field
import torch
from torch import nn


def choose():
    return "cuda" if torch.cuda.is_available() else "cpu"


@dataclass
class Config:
    hidden: int = 4
    device: str = field(default_factory=choose)


def batch(n, device=None):
    x = torch.rand(n, 3, device=device)
    return x, torch.rand(n, 3, device=x.device)


def main():
    config = Config()
    net = nn.Linear(3, config.hidden).to(config.device)
    for _ in range(2):
        x, y = batch(2, device=config.device)
        print(net(x).sum() + net(y).sum() + net(x * y).sum())


main()

# case: the constructor makes a weight on the CPU by name, and the module is moved afterwards
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(3).to("cpu"))

    def forward(self, x):
        return (x * self.w).sum()


net = Net()
net.to(device)
print(net(torch.ones(3)).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(3).to("cpu"))

    def forward(self, x):
        return (x * self.w).sum()


net = Net()
net.to(device)
print(net(torch.ones(3, device=device)).item())

# case: a new device is CUDA, whatever the style, beside something that stays there
# reports: DFX201 DFX213
# min-torch: 2.9
# style: accelerator
import torch
from torch import nn


def on_gpu(x):
    try:
        return x.cuda()
    except (AssertionError, RuntimeError):
        return x


class Lazy:
    def __init__(self):
        self.net = on_gpu(nn.Linear(3, 2))

    def __call__(self, rows):
        batch = on_gpu(torch.tensor(rows))
        return self.net(batch)


print(Lazy()([[1.0, 2.0, 3.0]]).shape)

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def on_gpu(x):
    try:
        return x.cuda()
    except (AssertionError, RuntimeError):
        return x


class Lazy:
    def __init__(self):
        self.net = on_gpu(nn.Linear(3, 2))

    def __call__(self, rows):
        batch = on_gpu(torch.tensor(rows, device=device))
        return self.net(batch)


print(Lazy()([[1.0, 2.0, 3.0]]).shape)

# case: a factory on any accelerator already
# min-torch: 2.9
# style: accelerator
import torch
from torch import nn

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
net = nn.Linear(3, 2).to(device)
print(net(torch.ones(1, 3, device=device)).shape)

# case: the name of a device, as a string
# min-torch: 2.9
# style: accelerator
import torch
from torch import nn


def choose():
    return str(torch.accelerator.current_accelerator(check_available=True) or "cpu")


kind = choose()
net = nn.Linear(3, 1).to(kind)
print(net(torch.rand(2, 3)).shape, kind == "cpu")

# output
import torch
from torch import nn


def choose():
    return str(torch.accelerator.current_accelerator(check_available=True) or "cpu")


kind = choose()
net = nn.Linear(3, 1).to(kind)
print(net(torch.rand(2, 3, device=kind)).shape, kind == "cpu")

# case: the name of a device that is on its own side
# min-torch: 2.9
# style: accelerator
import torch
from torch import nn

kind = str(torch.accelerator.current_accelerator(check_available=True) or "cpu")
net = nn.Linear(3, 1).to(kind)
print(net(torch.rand(2, 3, device=kind)).shape, f"model-{kind}.pt", kind.upper())

# case: callers that nobody has seen say where a tensor goes
import torch


def total(loader, place: torch.device):
    found = torch.zeros(3)
    for x in loader:
        found += x.to(place)
    return found


def counted(x, place):
    x = x.to(place)
    return x * torch.arange(3, device=place) + torch.ones(3)

# output
import torch


def total(loader, place: torch.device):
    found = torch.zeros(3, device=place)
    for x in loader:
        found += x.to(place)
    return found


def counted(x, place):
    x = x.to(place)
    return x * torch.arange(3, device=place) + torch.ones(3, device=place)

# case: callers say where a tensor goes that meets nothing else, or give a dtype, or keep it
import torch


def placed(x, place):
    mask = torch.ones(3)
    return x.to(place), mask


def masked(x, place):
    x = x.to(place)
    return (x * torch.ones(3)).numpy()


def cast(values, kind):
    return (torch.tensor(values).to(kind) * torch.ones(3)).numpy()


def stored(count, place: torch.device):
    kept = torch.zeros(count)
    return kept.sum(), torch.ones(count, device=place)

# case: annotations say that a parameter is a tensor, and how large it is
import torch
from jaxtyping import Float
from torch import Tensor


def shifted(x: Float[Tensor, "batch n"]):
    return x + torch.eye(len(x))


def chosen(mask: torch.BoolTensor):
    return mask & torch.ones(3, dtype=torch.bool)

# output
import torch
from jaxtyping import Float
from torch import Tensor


def shifted(x: Float[Tensor, "batch n"]):
    return x + torch.eye(len(x), device=x.device)


def chosen(mask: torch.BoolTensor):
    return mask & torch.ones(3, dtype=torch.bool, device=mask.device)

# case: annotations say that a parameter is an array, or leave it open
import numpy as np
import torch
from jaxtyping import Float


def shifted(x: Float[np.ndarray, "batch n"]):
    return x + torch.eye(len(x)).numpy()


def chosen(mask: "torch.BoolTensor | bool"):
    return mask & torch.ones(3, dtype=torch.bool)

# case: a parameter is a tensor by its annotation, and what comes in is unknown
import lib
import torch


def damped(hessian: torch.Tensor, factor: float) -> torch.Tensor:
    return hessian + factor * torch.eye(len(hessian))


print(damped(lib.hessian(), 0.5))

# output
import lib
import torch


def damped(hessian: torch.Tensor, factor: float) -> torch.Tensor:
    return hessian + factor * torch.eye(len(hessian), device=hessian.device)


print(damped(lib.hessian(), 0.5))

# case: a parameter without an annotation, and what comes in is unknown
import lib
import torch


def damped(hessian, factor):
    return hessian + factor * torch.eye(len(hessian))


print(damped(lib.hessian(), 0.5))
