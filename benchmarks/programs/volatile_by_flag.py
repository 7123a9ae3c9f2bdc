# run:
# run: --cuda
import sys
import torch
import torch.nn as nn
from torch.autograd import Variable

cuda = "--cuda" in sys.argv and torch.cuda.is_available()


def repackage_hidden(h):
    if isinstance(h, (list, tuple)):
        return tuple(repackage_hidden(v) for v in h)
    return Variable(h.data)


class LM(nn.Module):
    def __init__(self, n, d):
        super(LM, self).__init__()
        self.enc = nn.Embedding(n, d)
        self.rnn = nn.LSTM(d, d)
        self.dec = nn.Linear(d, n)
        self.d = d

    def forward(self, x, h):
        o, h = self.rnn(self.enc(x), h)
        return self.dec(o.view(-1, self.d)), h

    def init_hidden(self, bsz):
        weight = next(self.parameters()).data
        return (Variable(weight.new(1, bsz, self.d).zero_()),
                Variable(weight.new(1, bsz, self.d).zero_()))


def batchify(data, bsz):
    nbatch = data.size(0) // bsz
    data = data.narrow(0, 0, nbatch * bsz).view(bsz, -1).t().contiguous()
    if cuda:
        data = data.cuda()
    return data


def get_batch(source, i, evaluation=False):
    data = Variable(source[i:i + 3], volatile=evaluation)
    target = Variable(source[i + 1:i + 4].view(-1))
    return data, target


torch.manual_seed(1)
if cuda:
    torch.cuda.manual_seed(1)
corpus = torch.arange(44) * 7 % 10
train_data, val_data = batchify(corpus, 4), batchify(corpus, 2)
model = LM(10, 6)
if cuda:
    model.cuda()
criterion = nn.CrossEntropyLoss()


def evaluate(source):
    model.eval()
    total = 0
    hidden = model.init_hidden(2)
    for i in range(0, 18, 3):
        data, targets = get_batch(source, i, evaluation=True)
        out, hidden = model(data, hidden)
        total += len(data) * criterion(out, targets).data
        hidden = repackage_hidden(hidden)
    return total.item() / len(source)


def train():
    model.train()
    hidden = model.init_hidden(4)
    for i in range(0, 6, 3):
        data, targets = get_batch(train_data, i)
        hidden = repackage_hidden(hidden)
        model.zero_grad()
        out, hidden = model(data, hidden)
        loss = criterion(out, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        for p in model.parameters():
            p.data.add_(p.grad.data, alpha=-2.0)
    return loss.item()


for epoch in range(3):
    print("%d %.6f %.6f" % (epoch, train(), evaluate(val_data)))
