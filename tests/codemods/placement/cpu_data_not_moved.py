# case: from_numpy, after its cast
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rng = np.random.default_rng(0)
model = nn.Linear(4, 2).to(device)
x = torch.from_numpy(rng.normal(size=(8, 4))).float()
y = torch.from_numpy(rng.integers(0, 2, 8))
print(nn.functional.cross_entropy(model(x), y).item())

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rng = np.random.default_rng(0)
model = nn.Linear(4, 2).to(device)
x = torch.from_numpy(rng.normal(size=(8, 4))).float().to(device)
y = torch.from_numpy(rng.integers(0, 2, 8)).to(device)
print(nn.functional.cross_entropy(model(x), y).item())

# case: legacy constructors and variables
import torch
import torch.nn as nn
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
rows = [[0.0, 1.0], [1.0, 0.0]]
inputs = Variable(torch.Tensor(rows))
labels = Variable(torch.FloatTensor([[1.0], [0.0]]))
print(nn.MSELoss()(net(inputs), labels).item())

# output
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
rows = [[0.0, 1.0], [1.0, 0.0]]
inputs = torch.Tensor(rows).to(device)
labels = torch.tensor([[1.0], [0.0]], device=device)
print(nn.MSELoss()(net(inputs), labels).item())

# case: one state of an environment after the other
import numpy as np
import torch
from torch import nn


class Agent:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.policy = nn.Sequential(nn.Linear(4, 2), nn.Softmax(dim=1)).to(self.device)

    def act(self, state):
        state = torch.from_numpy(state).float().unsqueeze(0)
        with torch.no_grad():
            return self.policy(state).argmax(1).item()


agent = Agent()
for seed in range(3):
    print(agent.act(np.random.default_rng(seed).normal(size=4)))

# output
import numpy as np
import torch
from torch import nn


class Agent:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.policy = nn.Sequential(nn.Linear(4, 2), nn.Softmax(dim=1)).to(self.device)

    def act(self, state):
        state = torch.from_numpy(state).float().unsqueeze(0).to(self.device)
        with torch.no_grad():
            return self.policy(state).argmax(1).item()


agent = Agent()
for seed in range(3):
    print(agent.act(np.random.default_rng(seed).normal(size=4)))

# case: chains over several lines
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Conv2d(3, 8, 3).to(device)
image = np.random.default_rng(0).integers(0, 255, (16, 16, 3), dtype=np.uint8)
batch = (
    torch.from_numpy(image)
    .permute(2, 0, 1)  # channels first
    .float()
    .unsqueeze(0)
)
print(model(batch).mean().item())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Conv2d(3, 8, 3).to(device)
image = np.random.default_rng(0).integers(0, 255, (16, 16, 3), dtype=np.uint8)
batch = (
    torch.from_numpy(image)
    .permute(2, 0, 1)  # channels first
    .float()
    .unsqueeze(0)
    .to(device)
)
print(model(batch).mean().item())

# case: a sample of a dataset
import torch
from torch.utils.data import Dataset


class Squares(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        x = torch.full((3,), float(index))
        return x, x**2


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 3).to(device)
x, y = Squares()[1]
print((model(x) - y).abs().sum().item())

# output
import torch
from torch.utils.data import Dataset


class Squares(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        x = torch.full((3,), float(index))
        return x, x**2


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 3).to(device)
x, y = Squares()[1]
x, y = x.to(device), y.to(device)
print((model(x) - y).abs().sum().item())

# case: a statistic of the host data
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
table = torch.from_numpy(np.random.rand(10, 3)).float()
mean = table.mean(0)
np.save("table.npy", table.numpy())
for row in torch.rand(4, 3, device=device):
    print(model(row - mean).item())

# output
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
table = torch.from_numpy(np.random.rand(10, 3)).float()
mean = table.mean(0).to(device)
np.save("table.npy", table.numpy())
for row in torch.rand(4, 3, device=device):
    print(model(row - mean).item())

# case: moved behind the cast
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 2).to(device)
x = torch.from_numpy(np.ones((8, 4), dtype=np.float32)).to(device)
y = torch.as_tensor(np.ones((8, 4), dtype=np.float32)).to(device=device, dtype=torch.float32)
print(model(x + y).sum().item(), model(torch.Tensor([[1, 2, 3, 4]]).to(device)).sum().item())

# case: moved at its use
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 2).to(device)
x = torch.from_numpy(np.ones((8, 4), dtype=np.float32))
print(x.shape, model(x.to(device)).sum().item(), x.numpy().mean())

# case: an array all the way
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 2).to(device)
weights = np.linspace(0, 1, 4)
table = torch.from_numpy(weights)
print(np.dot(table.numpy(), weights), model(torch.ones(1, 4, device=device)).sum().item())

# case: inside a dataset
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, array):
        self.rows = torch.from_numpy(array).float()

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index] + torch.Tensor([0.5])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 2).to(device)
for rows in DataLoader(Rows(np.ones((8, 4))), batch_size=4):
    print(model(rows.to(device)).sum().item())

# case: weights that become parameters
import numpy as np
import torch
from torch import nn


class Glove(nn.Module):
    def __init__(self, vectors):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(torch.from_numpy(vectors))
        self.scale = nn.Parameter(torch.Tensor([1.0]))
        self.linear = nn.Linear(4, 2)
        self.linear.weight.data.copy_(torch.from_numpy(vectors[:2]))

    def forward(self, ids):
        return self.linear(self.embedding(ids)) * self.scale


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Glove(np.ones((10, 4), dtype=np.float32)).to(device)
print(model(torch.tensor([1, 2], device=device)).sum().item())

# case: nothing of it meets the device
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 2).to(device)
lengths = torch.LongTensor([3, 2])
print(lengths.tolist(), lengths.max().item(), model.weight.sum().item())
for length in lengths:
    print(model(torch.ones(int(length), 4, device=device)).shape)

# case: a packed sequence is no tensor, and has no device
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 2, batch_first=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        packed, _ = self.lstm(packed)
        padded, lengths = pad_packed_sequence(packed, batch_first=True)
        return padded.sum(1) / lengths.unsqueeze(1).float()


def tagged(x, lengths):
    return Tagger().to(x.device)(x, lengths)

# output
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 2, batch_first=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        packed, _ = self.lstm(packed)
        padded, lengths = pad_packed_sequence(packed, batch_first=True)
        lengths = lengths.to(x.device)
        return padded.sum(1) / lengths.unsqueeze(1).float()


def tagged(x, lengths):
    return Tagger().to(x.device)(x, lengths)

# case: the lengths of a packed sequence that are moved already
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 2, batch_first=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        packed, _ = self.lstm(packed)
        padded, lengths = pad_packed_sequence(packed, batch_first=True)
        lengths = lengths.to(x.device)
        return padded.sum(1) / lengths.unsqueeze(1).float()


def tagged(x, lengths):
    return Tagger().to(x.device)(x, lengths)

# case: a name that one statement binds twice is what it is bound to last
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 3).to(device)


def synthesis(model, x):
    mel = model(x)
    return mel[0].cpu(), mel.contiguous()


for i in range(3):
    for _, x in enumerate(torch.ones(4, 3, device=device)):
        _, _ = synthesis(model, x)
    print(i)

# case: what a transform makes of an image is on the CPU
import torch
from PIL import Image
from torchvision import models, transforms

normalize = transforms.Normalize([0.5], [0.5])
transform = transforms.Compose([transforms.Resize(256), transforms.ToTensor(), normalize])
model = models.resnet18(pretrained=True)
model.eval()
image = transform(Image.open("a.png")).unsqueeze(0)
with torch.no_grad():
    print(model(image).numpy())

# output
import torch
from PIL import Image
from torchvision import models, transforms

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

normalize = transforms.Normalize([0.5], [0.5])
transform = transforms.Compose([transforms.Resize(256), transforms.ToTensor(), normalize])
model = models.resnet18(pretrained=True).to(device)
model.eval()
image = transform(Image.open("a.png")).unsqueeze(0).to(device)
with torch.no_grad():
    print(model(image).cpu().numpy())

# case: a step of the user's own may give anything
# reports: DFX101 DFX401
import torch
from PIL import Image
from torchvision import models, transforms

transform = transforms.Compose([transforms.ToTensor(), transforms.Lambda(lambda x: x * 2)])
model = models.resnet18(pretrained=True)
image = transform(Image.open("a.png")).unsqueeze(0)
with torch.no_grad():
    print(model(image).numpy())

# case: lengths that only one of several losses would want on the device
import torch
import warpctc_pytorch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def validation(model, criterion, loader, baidu):
    for x, labels, lengths in loader:
        preds = model(x.to(device))
        labels = labels.to(device)
        sizes = torch.IntTensor([preds.size(1)] * x.size(0))
        if baidu:
            cost = criterion(preds.permute(1, 0, 2), labels, sizes, lengths)
        else:
            cost = criterion(preds.log_softmax(2).permute(1, 0, 2), labels, sizes, lengths)
        print(cost.item())


def main(kind, loader):
    model = torch.nn.Linear(3, 4).to(device)
    if kind == "baidu":
        criterion = warpctc_pytorch.CTCLoss()
    elif kind == "ctc":
        criterion = torch.nn.CTCLoss().to(device)
    else:
        criterion = torch.nn.CrossEntropyLoss().to(device)
    validation(model, criterion, loader, kind == "baidu")


main("ctc", torch.utils.data.DataLoader([(torch.rand(5, 3), torch.ones(2).int(), torch.tensor(2))]))

# case: what is in one place or the other, and meets nothing
import torch


class Runner:
    def __init__(self, model):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)

    def sample(self):
        noise = torch.randn(4, 3, device=self.device)
        image = torch.clamp(self.steps(noise) * 0.5 + 0.5, 0.0, 1.0)
        print(image.sum().item())

    def steps(self, noise):
        steps = [noise]
        for _ in range(3):
            steps.append(self.model(steps[-1].to(self.device)).to("cpu"))
        image = steps[-1]
        return image


Runner(torch.nn.Linear(3, 3)).sample()

# case: what is in one place or the other, and meets something
import torch


class Runner:
    def __init__(self, model):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)

    def sample(self, target):
        noise = torch.randn(4, 3, device=self.device)
        image = self.steps(noise)
        print((image - target.to(self.device)).sum().item())

    def steps(self, noise):
        steps = [noise]
        for _ in range(3):
            steps.append(self.model(steps[-1].to(self.device)).to("cpu"))
        image = steps[-1]
        return image


Runner(torch.nn.Linear(3, 3)).sample(torch.zeros(4, 3))

# output
import torch


class Runner:
    def __init__(self, model):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)

    def sample(self, target):
        noise = torch.randn(4, 3, device=self.device)
        image = self.steps(noise)
        print((image - target.to(self.device)).sum().item())

    def steps(self, noise):
        steps = [noise]
        for _ in range(3):
            steps.append(self.model(steps[-1].to(self.device)).to("cpu"))
        image = steps[-1].to(self.device)
        return image


Runner(torch.nn.Linear(3, 3)).sample(torch.zeros(4, 3))
