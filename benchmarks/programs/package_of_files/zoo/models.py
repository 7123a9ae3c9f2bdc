import torch
import torch.nn as nn

from .layers import Attention, PositionalEncoding

MODELS = {}


def model(cls):
    MODELS[cls.__name__.lower()] = cls
    return cls


@model
class Bag(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocab, dim)
        self.fc = nn.Linear(dim, 3)

    def forward(self, x):
        offsets = torch.arange(0, x.numel(), x.size(1))
        return self.fc(self.embed(x.view(-1), offsets))


@model
class Encoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.position = PositionalEncoding(dim)
        self.attention = Attention(dim)
        self.fc = nn.Linear(dim, 3)

    def forward(self, x):
        h = self.position(self.embed(x))
        return self.fc(self.attention(h, x == 0).mean(1))


def create(name, vocab, dim, state=None):
    m = MODELS[name](vocab, dim)
    if state is not None:
        m.load_state_dict(state)
    return m
