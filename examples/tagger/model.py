import torch
from torch import nn

from data import running_mean


class Tagger(nn.Module):
    def __init__(self, words, tags):
        super().__init__()
        self.embed = nn.Embedding(words, 32)
        self.out = nn.Linear(32, tags)
        self.scale = torch.full((32,), 0.5)

    def forward(self, x):
        context = self.embed(x) * self.scale
        return self.out(running_mean(x.size(1)) @ context)
