from __future__ import print_function

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

WORDS = "good great fine awful bad poor".split()
VOCAB = {word: i for i, word in enumerate(WORDS)}


def sentences(count, seed):
    rng = random.Random(seed)
    data = []
    for _ in range(count):
        words = [rng.choice(WORDS) for _ in range(5)]
        score = sum(1 if VOCAB[w] < 3 else -1 for w in words)
        data.append(([VOCAB[w] for w in words], int(score > 0)))
    return data


class Bow(nn.Module):
    def __init__(self, vocab, dim, classes):
        super(Bow, self).__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.fc = nn.Linear(dim, classes)

    def forward(self, tokens, weights):
        vectors = self.embed(tokens) * weights.unsqueeze(2)
        return self.fc(vectors.sum(1))


def make_batch(batch):
    tokens = torch.cuda.LongTensor([item[0] for item in batch])
    labels = torch.cuda.LongTensor([item[1] for item in batch])
    weights = torch.cuda.FloatTensor(tokens.size()).fill_(0.2)
    return tokens, weights, labels


def main():
    torch.manual_seed(1)
    model = Bow(len(VOCAB), 16, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    data = sentences(96, seed=4)
    for epoch in range(4):
        total, right = 0.0, 0
        for start in range(0, len(data), 32):
            tokens, weights, labels = make_batch(data[start:start + 32])
            out = model(tokens, weights)
            loss = F.cross_entropy(out, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            right += (out.max(1)[1] == labels).sum().item()
        print("epoch %d loss %.4f right %d" % (epoch, total, right))


if __name__ == "__main__":
    main()
