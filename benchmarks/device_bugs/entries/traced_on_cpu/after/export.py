import torch
import torch.nn as nn


class TextClassifier(nn.Module):
    def __init__(self, vocab=30, dim=16, classes=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.positions = nn.Embedding(32, dim)
        self.out = nn.Linear(dim, classes)

    def forward(self, tokens):
        index = torch.arange(tokens.size(1), device=tokens.device)
        x = self.embed(tokens) + self.positions(index)
        return self.out(torch.relu(x).mean(dim=1))


def export(model, example):
    model.eval()
    return torch.jit.trace(model, example)
