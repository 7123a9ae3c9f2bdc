# run:
# run: --use_cuda
import argparse
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--use_cuda", action="store_true")
opt = parser.parse_args()
use_cuda = torch.cuda.is_available() and opt.use_cuda
SOS, EOS, MAX = 0, 1, 6


class Encoder(nn.Module):
    def __init__(self, n, h):
        super().__init__()
        self.h = h
        self.emb = nn.Embedding(n, h)
        self.gru = nn.GRU(h, h)

    def forward(self, word, hidden):
        return self.gru(self.emb(word).view(1, 1, -1), hidden)

    def init_hidden(self):
        result = torch.zeros(1, 1, self.h)
        if use_cuda:
            return result.cuda()
        else:
            return result


class Attention(nn.Module):
    def __init__(self, h, n):
        super().__init__()
        self.emb = nn.Embedding(n, h)
        self.attn = nn.Linear(2 * h, MAX)
        self.mix = nn.Linear(2 * h, h)
        self.gru = nn.GRU(h, h)
        self.out = nn.Linear(h, n)

    def forward(self, word, hidden, outputs):
        e = self.emb(word).view(1, 1, -1)
        w = F.softmax(self.attn(torch.cat((e[0], hidden[0]), 1)), dim=1)
        applied = torch.bmm(w.unsqueeze(0), outputs.unsqueeze(0))
        x = F.relu(self.mix(torch.cat((e[0], applied[0]), 1)).unsqueeze(0))
        o, hidden = self.gru(x, hidden)
        return F.log_softmax(self.out(o[0]), dim=1), hidden, w


def tensor_of(ids):
    t = torch.LongTensor(ids + [EOS]).view(-1, 1)
    return t.cuda() if use_cuda else t


def train(pair, encoder, decoder, eo, do, criterion):
    source, target = map(tensor_of, pair)
    hidden = encoder.init_hidden()
    eo.zero_grad()
    do.zero_grad()
    outputs = torch.zeros(MAX, encoder.h)
    outputs = outputs.cuda() if use_cuda else outputs
    loss = 0
    for i in range(source.size(0)):
        o, hidden = encoder(source[i], hidden)
        outputs[i] = o[0][0]
    word = torch.LongTensor([[SOS]])
    word = word.cuda() if use_cuda else word
    teacher = random.random() < 0.5
    for i in range(target.size(0)):
        o, hidden, w = decoder(word, hidden, outputs)
        loss += criterion(o, target[i])
        if teacher:
            word = target[i]
        else:
            topv, topi = o.data.topk(1)
            ni = topi[0][0].item()
            word = torch.LongTensor([[ni]])
            word = word.cuda() if use_cuda else word
            if ni == EOS:
                break
    loss.backward()
    eo.step()
    do.step()
    return loss.item() / target.size(0)


random.seed(1)
torch.manual_seed(1)
encoder, decoder = Encoder(8, 6), Attention(6, 8)
if use_cuda:
    encoder = encoder.cuda()
    decoder = decoder.cuda()
eo = torch.optim.SGD(encoder.parameters(), lr=0.1)
do = torch.optim.SGD(decoder.parameters(), lr=0.1)
pairs = [([2, 3, 4], [4, 3, 2]), ([5, 6], [6, 5]), ([7, 2], [2, 7])]
for step in range(6):
    print("%.6f" % train(random.choice(pairs), encoder, decoder, eo, do, nn.NLLLoss()))
attentions = torch.zeros(MAX, MAX)
with torch.no_grad():
    hidden = encoder.init_hidden()
    outputs = torch.zeros(MAX, 6).cuda() if use_cuda else torch.zeros(MAX, 6)
    for i, w in enumerate(tensor_of([2, 3])):
        o, hidden = encoder(w, hidden)
        outputs[i] += o[0][0]
    word = tensor_of([])[:1]
    for i in range(3):
        o, hidden, w = decoder(word, hidden, outputs)
        attentions[i] = w.data.squeeze(0).cpu()
        word = o.argmax(1, keepdim=True)
print(attentions[:3].numpy().round(4).tolist())
