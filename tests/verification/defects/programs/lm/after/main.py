"""A small language model; its output layer is its embedding, and its rate warms up."""
import math

import torch
import torch.nn.functional as F
from torch import nn

TEXT = "the cat sat on the mat and the dog sat on the log . " * 8
WORDS = sorted(set(TEXT.split()))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.mix = nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x, hidden):
        size, length, width = x.shape
        parts = self.qkv(self.before(x)).view(size, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        seen = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1) @ v
        x = x + self.mix(seen.transpose(1, 2).reshape(size, length, width))
        return x + self.feed(self.after(x))


class LanguageModel(nn.Module):
    def __init__(self, words, width=16, longest=12):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.place = nn.Parameter(0.02 * torch.randn(longest, width))
        self.blocks = nn.ModuleList(Block(width, 2) for _ in range(2))
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, words, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, words):
        length = words.size(1)
        hidden = torch.ones(length, length, dtype=torch.bool, device=words.device).triu(1)
        x = self.embed(words) + self.place[:length]
        for block in self.blocks:
            x = block(x, hidden)
        return self.out(self.norm(x))


def main():
    torch.manual_seed(51)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    text = torch.tensor([WORDS.index(word) for word in TEXT.split()])
    model = LanguageModel(len(WORDS)).to(device)
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-2)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 5))
    for step in range(10):
        starts = torch.randint(len(text) - 9, (8,))
        batch = torch.stack([text[start : start + 9] for start in starts.tolist()]).to(device)
        scores = model(batch[:, :-1])
        loss = F.cross_entropy(scores.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
    torch.save(model.state_dict(), "language.pt")
    print("trained on", len(text), "words")


if __name__ == "__main__":
    main()
