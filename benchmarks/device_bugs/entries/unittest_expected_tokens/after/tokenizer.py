import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class HookedModel(nn.Module):
    """Characters in, logits out."""

    def __init__(self, vocab="abcdefgh", dim=8):
        super().__init__()
        self.vocab = vocab
        self.embed = nn.Embedding(len(vocab) + 1, dim)
        self.unembed = nn.Linear(dim, len(vocab) + 1, bias=False)
        self.to(device)

    def to_tokens(self, text, prepend_bos=True):
        tokens = [self.vocab.index(c) + 1 for c in text]
        return torch.tensor([[0, *tokens] if prepend_bos else tokens]).to(device)

    def to_string(self, tokens):
        return "".join("_" if t == 0 else self.vocab[t - 1] for t in tokens.flatten().tolist())

    def forward(self, text):
        return self.unembed(self.embed(self.to_tokens(text)))
