# run:
# run: --cuda
import argparse

import torch
from torch import nn
from torch.autograd import Variable

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
opt = parser.parse_args()
cuda = opt.cuda and torch.cuda.is_available()
FloatTensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
LongTensor = torch.cuda.LongTensor if cuda else torch.LongTensor
tt = torch.cuda if cuda else torch

torch.manual_seed(0)
net = nn.Embedding(6, 4)
head = nn.Linear(4, 2)
if cuda:
    net.cuda()
    head.cuda()
sgd = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.5)
words = Variable(LongTensor([0, 1, 2, 3, 4, 5]))
labels = Variable(tt.LongTensor([0, 1, 0, 1, 0, 1]))
weight = tt.FloatTensor([1, 2])
for _ in range(4):
    loss = nn.functional.cross_entropy(head(net(words)), labels, weight=weight)
    sgd.zero_grad()
    loss.backward()
    sgd.step()
    print("%.6f" % loss.item())
dtype = "torch.FloatTensor"
table = net.weight.data.type(dtype)
means = torch.zeros(2, 4)
for k in range(2):
    means[k] = table[k::2].mean(0)
print(means.numpy().round(4).tolist(), isinstance(weight, FloatTensor))
