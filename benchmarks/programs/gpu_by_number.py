# run:
# run: --gpu 0
# run: --gpu -1 --hidden 5
import argparse

import numpy as np
import torch
import torch.nn as nn

ap = argparse.ArgumentParser()
ap.add_argument("--gpu", type=int, default=-1, help="gpu id, -1 for the processor")
ap.add_argument("--hidden", type=int, default=4)
args = ap.parse_args()
if args.gpu >= 0 and not torch.cuda.is_available():
    args.gpu = -1
if args.gpu >= 0:
    torch.cuda.set_device(args.gpu)


class Tagger(nn.Module):
    def __init__(self, words, tags, hidden, gpu):
        super().__init__()
        self.gpu = gpu
        self.hidden_size = hidden
        self.embed = nn.Embedding(words, hidden)
        self.lstm = nn.LSTM(hidden, hidden)
        self.out = nn.Linear(hidden, tags)
        self.hidden = self.init_hidden()

    def init_hidden(self):
        h = torch.zeros(1, 1, self.hidden_size)
        c = torch.zeros(1, 1, self.hidden_size)
        if self.gpu >= 0:
            return h.cuda(self.gpu), c.cuda(self.gpu)
        return h, c

    def forward(self, sentence):
        e = self.embed(sentence).view(len(sentence), 1, -1)
        o, self.hidden = self.lstm(e, self.hidden)
        return self.out(o.view(len(sentence), -1))


np.random.seed(2)
torch.manual_seed(2)
model = Tagger(12, 3, args.hidden, args.gpu)
if args.gpu >= 0:
    model = model.cuda(args.gpu)
opt = torch.optim.SGD(model.parameters(), lr=0.3)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(3):
    total = 0.0
    for _ in range(4):
        words = torch.from_numpy(np.random.randint(0, 12, 6))
        tags = words % 3
        if args.gpu >= 0:
            words, tags = words.cuda(args.gpu), tags.cuda(args.gpu)
        model.zero_grad()
        model.hidden = model.init_hidden()
        loss = loss_fn(model(words), tags)
        loss.backward()
        opt.step()
        total += loss.item()
    print(epoch, "%.5f" % total)
