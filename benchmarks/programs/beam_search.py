import math

import torch
from torch import nn

torch.manual_seed(2)
BOS, EOS, V = 0, 1, 7


class Decoder(nn.Module):
    def __init__(self, hidden=10):
        super().__init__()
        self.emb = nn.Embedding(V, hidden)
        self.cell = nn.LSTMCell(hidden, hidden)
        self.out = nn.Linear(hidden, V)
        self.hidden = hidden

    def step(self, token, state):
        h, c = self.cell(self.emb(token), state)
        return torch.log_softmax(self.out(h), -1), (h, c)


def beam(decoder, width=3, longest=6):
    start = (torch.zeros(1, decoder.hidden), torch.zeros(1, decoder.hidden))
    beams = [([BOS], 0.0, start)]
    finished = []
    for _ in range(longest):
        candidates = []
        for tokens, score, state in beams:
            if tokens[-1] == EOS:
                finished.append((tokens, score))
                continue
            logp, new = decoder.step(torch.LongTensor([tokens[-1]]), state)
            values, ids = logp.squeeze(0).topk(width)
            for v, i in zip(values, ids):
                candidates.append((tokens + [i.item()], score + v.item(), new))
        beams = sorted(candidates, key=lambda c: c[1] / math.sqrt(len(c[0])), reverse=True)[:width]
    return finished + [(t, s) for t, s, _ in beams]


decoder = Decoder()
opt = torch.optim.Adam(decoder.parameters(), lr=0.05)
target = torch.tensor([2, 3, 4, EOS])
for _ in range(15):
    token, state, loss = torch.tensor([BOS]), (torch.zeros(1, 10), torch.zeros(1, 10)), 0.0
    for t in target:
        logp, state = decoder.step(token, state)
        loss -= logp[0, t]
        token = t.view(1)
    opt.zero_grad()
    loss.backward()
    opt.step()
print("%.5f" % loss.item())
with torch.no_grad():
    for tokens, score in beam(decoder)[:3]:
        print(tokens, "%.5f" % score)
