# run:
# run: --gpu
import random
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

USE = "--gpu" in sys.argv and torch.cuda.is_available()


class SkipGram(nn.Module):
    def __init__(self, n, d):
        super(SkipGram, self).__init__()
        self.u = nn.Embedding(n, d, sparse=True)
        self.v = nn.Embedding(n, d, sparse=True)
        r = 0.5 / d
        self.u.weight.data.uniform_(-r, r)
        self.v.weight.data.zero_()

    def forward(self, pos_u, pos_v, neg_v):
        u, v = self.u(pos_u), self.v(pos_v)
        score = F.logsigmoid((u * v).sum(1))
        neg = torch.bmm(self.v(neg_v), u.unsqueeze(2)).squeeze(2)
        return -(score.sum() + F.logsigmoid(-neg).sum())


class Sampler:
    def __init__(self, words, seed=0):
        self.rng = np.random.RandomState(seed)
        self.words = words
        count = np.bincount(words).astype(float) ** 0.75
        self.p = count / count.sum()

    def batches(self, size, negatives):
        pairs = [(a, b) for a, b in zip(self.words, self.words[1:])]
        for i in range(0, len(pairs), size):
            u, v = zip(*pairs[i:i + size])
            neg = self.rng.choice(len(self.p), (len(u), negatives), p=self.p)
            yield list(u), list(v), neg


torch.manual_seed(0)
random.seed(0)
words = [random.randrange(8) for _ in range(41)]
model = SkipGram(8, 5)
if USE:
    model.cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    total = 0
    for u, v, neg in Sampler(words).batches(10, 3):
        u, v, neg = torch.LongTensor(u), torch.LongTensor(v), torch.LongTensor(neg)
        if USE:
            u, v, neg = u.cuda(), v.cuda(), neg.cuda()
        opt.zero_grad()
        loss = model(u, v, neg)
        loss.backward()
        opt.step()
        total += loss.item()
    print(epoch, "%.5f" % total)
table = model.u.weight.cpu().data.numpy()
print(np.argsort(-table @ table[0])[:3].tolist())
