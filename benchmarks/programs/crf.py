import torch
import torch.nn as nn

START, STOP = "<s>", "</s>"


def argmax(vec):
    _, idx = torch.max(vec, 1)
    return idx.item()


def log_sum_exp(vec):
    m = vec[0, argmax(vec)]
    return m + torch.log(torch.sum(torch.exp(vec - m.view(1, -1).expand(1, vec.size(1)))))


class CRF(nn.Module):
    def __init__(self, vocab, tags, dim=4):
        super(CRF, self).__init__()
        self.tags, self.dim, self.n = tags, dim, len(tags)
        self.emb = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, dim // 2, bidirectional=True)
        self.out = nn.Linear(dim, self.n)
        self.transitions = nn.Parameter(torch.randn(self.n, self.n))
        self.transitions.data[tags[START], :] = -10000
        self.transitions.data[:, tags[STOP]] = -10000

    def init_hidden(self):
        return torch.randn(2, 1, self.dim // 2), torch.randn(2, 1, self.dim // 2)

    def feats(self, sentence):
        out, _ = self.lstm(self.emb(sentence).view(len(sentence), 1, -1), self.init_hidden())
        return self.out(out.view(len(sentence), self.dim))

    def forward_alg(self, feats):
        alphas = torch.full((1, self.n), -10000.)
        alphas[0][self.tags[START]] = 0.
        for feat in feats:
            new = []
            for t in range(self.n):
                emit = feat[t].view(1, -1).expand(1, self.n)
                new.append(log_sum_exp(alphas + self.transitions[t].view(1, -1) + emit).view(1))
            alphas = torch.cat(new).view(1, -1)
        return log_sum_exp(alphas + self.transitions[self.tags[STOP]])

    def score(self, feats, tags):
        score = torch.zeros(1)
        tags = torch.cat([torch.tensor([self.tags[START]], dtype=torch.long), tags])
        for i, feat in enumerate(feats):
            score = score + self.transitions[tags[i + 1], tags[i]] + feat[tags[i + 1]]
        return score + self.transitions[self.tags[STOP], tags[-1]]

    def nll(self, sentence, tags):
        f = self.feats(sentence)
        return self.forward_alg(f) - self.score(f, tags)

    def forward(self, sentence):
        back, best = [], torch.full((1, self.n), -10000.)
        best[0][self.tags[START]] = 0
        for feat in self.feats(sentence):
            ids, values = [], []
            for t in range(self.n):
                v = best + self.transitions[t]
                k = argmax(v)
                ids.append(k)
                values.append(v[0][k].view(1))
            best = (torch.cat(values) + feat).view(1, -1)
            back.append(ids)
        end = best + self.transitions[self.tags[STOP]]
        k = argmax(end)
        path = [k]
        for ids in reversed(back):
            k = ids[k]
            path.append(k)
        path.pop()
        return end[0][path[0]], path[::-1]


torch.manual_seed(1)
tags = {"B": 0, "I": 1, "O": 2, START: 3, STOP: 4}
model = CRF(9, tags)
opt = torch.optim.SGD(model.parameters(), lr=0.01, weight_decay=1e-4)
data = [([1, 2, 3, 4], ["B", "I", "O", "O"]), ([5, 6, 7], ["B", "I", "I"])]
for epoch in range(3):
    for words, marks in data:
        model.zero_grad()
        loss = model.nll(torch.tensor(words), torch.tensor([tags[m] for m in marks]))
        loss.backward()
        opt.step()
    print(epoch, "%.5f" % loss.item())
with torch.no_grad():
    score, path = model(torch.tensor(data[0][0]))
    print("%.5f" % score.item(), path)
