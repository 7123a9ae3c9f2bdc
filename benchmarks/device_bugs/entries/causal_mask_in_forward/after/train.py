import torch
import torch.nn as nn
from torch.nn import functional as F

text = "the quick brown fox jumps over the lazy dog and runs away " * 8
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])

block_size, batch_size, width = 16, 12, 32
device = "cuda" if torch.cuda.is_available() else "cpu"


def get_batch():
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([data[i:i + block_size] for i in ix])
    y = torch.stack([data[i + 1:i + block_size + 1] for i in ix])
    return x.to(device), y.to(device)


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        att = q @ k.transpose(-2, -1) * width ** -0.5
        t = x.size(1)
        mask = torch.tril(torch.ones(t, t, device=x.device)) == 0
        att = att.masked_fill(mask, float("-inf"))
        return self.proj(F.softmax(att, dim=-1) @ v)


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(len(chars), width)
        self.positions = nn.Embedding(block_size, width)
        self.attention = SelfAttention()
        self.head = nn.Linear(width, len(chars))

    def forward(self, idx, targets):
        x = self.tokens(idx) + self.positions.weight[:idx.size(1)]
        logits = self.head(x + self.attention(x))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


torch.manual_seed(1337)
model = LanguageModel().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(15):
    loss = model(*get_batch())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if step % 5 == 4:
        print(f"step {step + 1}: loss {loss.item():.4f}")
