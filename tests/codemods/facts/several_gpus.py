# case: two tensors that are moved to meet each other may come from two GPUs
import torch
from torch import nn


class Distance(nn.Module):
    def forward(self, guess, truth):
        total = torch.zeros(1).cuda()
        for i in range(truth.shape[0]):
            t = truth[i].cuda()
            g = guess[i].cuda()
            total = total + (t - g).abs().mean()
        return total


net = nn.Linear(3, 2).cuda()
distance = Distance()
x, y = torch.randn(4, 3), torch.randn(4, 2)
guess = net(x.cuda())
torch.cuda.set_device(1)
truth = y.cuda()
print(distance(guess, truth).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Distance(nn.Module):
    def forward(self, guess, truth):
        total = torch.zeros(1, device=device)
        for i in range(truth.shape[0]):
            t = truth[i].to(device)
            g = guess[i].to(device)
            total = total + (t - g).abs().mean()
        return total


net = nn.Linear(3, 2).to(device)
distance = Distance()
x, y = torch.randn(4, 3), torch.randn(4, 2)
guess = net(x.to(device))
if torch.cuda.is_available():
    torch.cuda.set_device(1)
truth = y.to(device)
print(distance(guess, truth).item())

# case: on the one GPU that there is, nothing needs a second move
import torch
from torch import nn


class Distance(nn.Module):
    def forward(self, guess, truth):
        return (truth[0].cuda() - guess[0].cuda()).abs().mean()


net = nn.Linear(3, 2).cuda()
x, y = torch.randn(4, 3), torch.randn(4, 2)
print(Distance()(net(x.cuda()), y.cuda()).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Distance(nn.Module):
    def forward(self, guess, truth):
        return (truth[0] - guess[0]).abs().mean()


net = nn.Linear(3, 2).to(device)
x, y = torch.randn(4, 3), torch.randn(4, 2)
print(Distance()(net(x.to(device)), y.to(device)).item())

# case: the first GPU by its number, and the one of a tensor, are the one GPU that there is
import torch
from torch import nn


class Distance(nn.Module):
    def forward(self, guess, truth):
        scale = torch.ones(2).cuda(guess.get_device())
        return (truth[0].cuda() - guess[0].cuda() * scale).abs().mean()


net = nn.Linear(3, 2)
net.cuda(0)
x, y = torch.randn(4, 3), torch.randn(4, 2)
print(Distance()(net(x.cuda()), y.cuda(device=0)).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Distance(nn.Module):
    def forward(self, guess, truth):
        scale = torch.ones(2).to(guess.device)
        return (truth[0] - guess[0] * scale).abs().mean()


net = nn.Linear(3, 2)
net.to(device)
x, y = torch.randn(4, 3), torch.randn(4, 2)
print(Distance()(net(x.to(device)), y.to(device)).item())

# case: a number that is not always the first
# reports: DFX201
import torch
from torch import nn


class Distance(nn.Module):
    def forward(self, guess, truth):
        return (truth[0].cuda() - guess[0].cuda()).abs().mean()


def on(x, gpu=0):
    return x.cuda(gpu)


net = nn.Linear(3, 2).cuda()
x, y = torch.randn(4, 3), torch.randn(4, 2)
print(on(x, 0).sum() + on(x, 1).sum().cpu())
print(Distance()(net(x.cuda()), y.cuda()).item())

# case: torch.accelerator chooses another GPU
import torch
from torch import nn


class Distance(nn.Module):
    def forward(self, guess, truth):
        return (truth[0].cuda() - guess[0].cuda()).abs().mean()


net = nn.Linear(3, 2).cuda()
x, y = torch.randn(4, 3), torch.randn(4, 2)
guess = net(x.cuda())
if torch.accelerator.device_count() > 1:
    torch.accelerator.set_device_index(1)
print(Distance()(guess, y.cuda()).item())

# output
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Distance(nn.Module):
    def forward(self, guess, truth):
        return (truth[0].to(device) - guess[0].to(device)).abs().mean()


net = nn.Linear(3, 2).to(device)
x, y = torch.randn(4, 3), torch.randn(4, 2)
guess = net(x.to(device))
if torch.accelerator.device_count() > 1:
    torch.accelerator.set_device_index(1)
print(Distance()(guess, y.to(device)).item())

# case: a device that the program has no use for may be one of those that it hides
# reports: DFX201
import argparse
import os

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu_ids", type=str, default="0")
opt = parser.parse_args()
opt.gpu_ids = [int(i) for i in opt.gpu_ids.split(",") if int(i) >= 0]
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(i) for i in opt.gpu_ids)


class Base:
    def __init__(self, opt):
        self.gpu_ids = opt.gpu_ids
        self.device = torch.device('cuda:{}'.format(self.gpu_ids[0])) if self.gpu_ids else torch.device('cpu')
        self.net = nn.Linear(3, 3).cuda()

    def run(self, x):
        return self.net(x.cuda())


print(Base(opt).run(torch.ones(2, 3)))
