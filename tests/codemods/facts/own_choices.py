# case: what the program brings to the accelerator is not brought back at once
# reports: DFX201
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 3)
        self.rnn = nn.LSTM(3, 2, batch_first=True)

    def forward(self, inputs):
        words, masks = inputs
        lengths = list(masks.data.eq(0).long().sum(1).squeeze())
        packed = pack_padded_sequence(self.embed(words), lengths, batch_first=True)
        return self.rnn(packed)[1][0].sum()


class Wrapper:
    def __init__(self, opt):
        self.opt = opt
        self.net = Net()
        if opt["cuda"]:
            self.net.cuda()

    def update(self, batch):
        if self.opt["cuda"]:
            inputs = [b.cuda() for b in batch]
        else:
            inputs = [b for b in batch]
        return self.net(inputs)


words, masks = torch.ones(2, 3).long(), torch.zeros(2, 3)
wrapper = Wrapper({"cuda": False})
print(wrapper.update([words, masks]).item())

# case: parameters that are kept before their module is moved
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.second = nn.Linear(3, 2)

    def forward(self, x):
        return self.second(self.first(x))

    def policies(self):
        weights, biases = [], []
        for m in self.modules():
            if isinstance(m, nn.Linear):
                ps = list(m.parameters())
                weights.append(ps[0])
                biases.append(ps[1])
        return [{"params": weights, "decay": 1}, {"params": biases, "decay": 0}]


def main():
    net = Net()
    policies = net.policies()
    net = nn.DataParallel(net).cuda()
    optimizer = torch.optim.SGD(policies, 0.1)
    x = torch.ones(3, 4).cuda()
    net(x).sum().backward()
    optimizer.step()
    print(net(x).sum().item())


main()

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.second = nn.Linear(3, 2)

    def forward(self, x):
        return self.second(self.first(x))

    def policies(self):
        weights, biases = [], []
        for m in self.modules():
            if isinstance(m, nn.Linear):
                ps = list(m.parameters())
                weights.append(ps[0])
                biases.append(ps[1])
        return [{"params": weights, "decay": 1}, {"params": biases, "decay": 0}]


def main():
    net = Net()
    policies = net.policies()
    net = nn.DataParallel(net).to(device)
    optimizer = torch.optim.SGD(policies, 0.1)
    x = torch.ones(3, 4, device=device)
    net(x).sum().backward()
    optimizer.step()
    print(net(x).sum().item())


main()

# case: what an option has brought to the CPU stays there
# reports: DFX105
import torch
from torch import nn


def distances(x):
    return -2 * x.mm(torch.t(x)) + x.pow(2).sum(dim=1).view(1, -1) + x.pow(2).sum(dim=1).view(-1, 1)


class Selector:
    def __init__(self, cpu=True):
        self.cpu = cpu

    def pairs(self, x, labels):
        if self.cpu:
            x = x.cpu()
        matrix = distances(x)
        labels = labels.cpu().numpy()
        first = torch.LongTensor([i for i, label in enumerate(labels) if label])
        return first, matrix[first, first].cpu().sum().item()


class Loss(nn.Module):
    def __init__(self, selector):
        super().__init__()
        self.selector = selector

    def forward(self, x, target):
        pairs, total = self.selector.pairs(x, target)
        return x[pairs.to(x.device)].sum() + total


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 2).to(device)
x, y = torch.ones(3, 4).to(device), torch.tensor([0, 1, 1]).to(device)
print(Loss(Selector())(net(x), y).item())

# case: a type of CUDA stays in the arm that moves an index
# reports: DFX201 DFX202
import torch
from parts import Table


class Score:
    def __init__(self, use_gpu):
        self.use_gpu = use_gpu

    def sentence(self, feats):
        r = torch.LongTensor(range(feats.size()[0]))
        if self.use_gpu:
            r = r.cuda()
            start = Table(torch.cuda.LongTensor)
        else:
            start = Table(torch.LongTensor)
        return start, feats[r].sum()

# case: a condition that stays, beside a device of the function
# reports: DFX201 DFX204
import torch
import torch.nn as nn


class YOLO(object):
    _defaults = {"cuda": True, "path": "net.pth"}

    def __init__(self, **kwargs):
        self.__dict__.update(self._defaults)
        for name, value in kwargs.items():
            setattr(self, name, value)
        self.generate()

    def generate(self, onnx=False):
        self.net = nn.Linear(4, 2)
        device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
        self.net.load_state_dict(torch.load(self.path, map_location=device))
        self.net = self.net.eval()
        if not onnx:
            if self.cuda:
                self.net = nn.DataParallel(self.net)
                self.net = self.net.cuda()

    def detect(self, image):
        with torch.no_grad():
            images = torch.from_numpy(image)
            if self.cuda:
                images = images.cuda()
            return self.net(images)


yolo = YOLO()

print(yolo.detect(torch.ones(1, 4).numpy()))

# case: a condition that decides what there is decides no device
import sys
import torch
import torch.nn as nn


def track(x, updater):
    z = torch.from_numpy(x).cuda()
    if updater == "":
        return 0.9 * z
    return updater(z)


step = 2  # 1, 2, 3
if step > 1:
    updater = nn.Linear(3, 3)
    updater.eval().cuda()
else:
    updater = ""
print(track(torch.ones(3).numpy(), updater))

# output
import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def track(x, updater):
    z = torch.from_numpy(x).to(device)
    if updater == "":
        return 0.9 * z
    return updater(z)


step = 2  # 1, 2, 3
if step > 1:
    updater = nn.Linear(3, 3)
    updater.eval().to(device)
else:
    updater = ""
print(track(torch.ones(3).numpy(), updater))

# case: a condition that decides which of two there is decides the device
# reports: DFX101 DFX201
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", action="store_true")
args = parser.parse_args()
net: nn.Module
if args.gpu:
    net = nn.Linear(3, 3)
    net.cuda()
else:
    net, other = nn.Linear(3, 3), None
x = torch.ones(2, 3).to(next(net.parameters()).device)
y = net(x)
print(y.sum().item())

# case: below a condition that stays, a move stays as well
import torch
import torch.nn as nn

net = nn.Linear(3, 2).cuda()
use_cuda = torch.cuda.is_available()
for x in [torch.ones(2, 3)]:
    y = torch.ones(2).cuda()
    if use_cuda:
        x = x.cuda()
        print("on the GPU")
    print(net(x) + y)

# output
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

net = nn.Linear(3, 2).to(device)
use_cuda = torch.cuda.is_available()
for x in [torch.ones(2, 3)]:
    y = torch.ones(2, device=device)
    if use_cuda:
        x = x.cuda()
        print("on the GPU")
    print(net(x) + y)
