import random
from collections import Counter

import torch
import torch.nn as nn
import torch.nn.functional as F

from sampling import UnigramSampler

CORPUS = "a king is a man and a queen is a woman so a man and a woman rule".split()


class SkipGram(nn.Module):
    def __init__(self, vocab, dim=10):
        super().__init__()
        self.center = nn.Embedding(vocab, dim)
        self.context = nn.Embedding(vocab, dim)

    def forward(self, center, positive, negative):
        c = self.center(center)
        pos = (c * self.context(positive)).sum(1)
        neg = torch.bmm(self.context(negative), c.unsqueeze(2)).squeeze(2)
        return -(F.logsigmoid(pos) + F.logsigmoid(-neg).sum(1)).mean()


def pairs(words, window=2):
    for i, word in enumerate(words):
        for j in range(max(0, i - window), min(len(words), i + window + 1)):
            if i != j:
                yield word, words[j]


if __name__ == "__main__":
    torch.manual_seed(0)
    random.seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    counts = Counter(CORPUS)
    vocab = {word: i for i, word in enumerate(counts)}
    examples = [(vocab[a], vocab[b]) for a, b in pairs(CORPUS)]
    model = SkipGram(len(vocab)).to(device)
    sampler = UnigramSampler([counts[word] for word in vocab])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    for epoch in range(3):
        random.shuffle(examples)
        for start in range(0, len(examples), 16):
            chunk = torch.tensor(examples[start:start + 16]).to(device)
            negative = sampler.sample(len(chunk), 3)
            loss = model(chunk[:, 0], chunk[:, 1], negative)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")
