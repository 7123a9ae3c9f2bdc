"""Continue a counting rhyme: a transformer with a causal mask and a table of positions."""
import math

import torch
from torch import nn


class Rhyme(nn.Module):
    def __init__(self, words=12, width=16, longest=20):
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        layer = nn.TransformerEncoderLayer(width, 2, 32, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(width, words)
        steps = torch.arange(longest).unsqueeze(1)
        rates = torch.exp(torch.arange(0, width, 2) * (-math.log(100.0) / width))
        table = torch.zeros(longest, width)
        table[:, 0::2] = torch.sin(steps * rates)
        table[:, 1::2] = torch.cos(steps * rates)
        self.register_buffer("table", table)
        self.register_buffer("future", torch.ones(longest, longest).triu(1).bool())

    def forward(self, words):
        length = words.size(1)
        x = self.embed(words) + self.table[:length]
        padding = words == 0
        x = self.encoder(x, mask=self.future[:length, :length], src_key_padding_mask=padding)
        return self.out(x)


def make_batch(size):
    start = torch.randint(1, 12, (size, 1))
    words = (start + torch.arange(11) - 1) % 11 + 1
    lengths = torch.randint(6, 12, (size, 1))
    return words.masked_fill(torch.arange(11) >= lengths, 0)


torch.manual_seed(21)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Rhyme().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss(ignore_index=0)

model.train()
for step in range(12):
    batch = make_batch(24).to(device)
    inputs, targets = batch[:, :-1], batch[:, 1:]
    scores = model(inputs)
    loss = criterion(scores.transpose(1, 2), targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 4 == 3:
        print("step", step + 1, "loss", format(loss.item(), ".5f"))

model.eval()
rhyme = torch.tensor([[3, 4, 5]], device=device)
with torch.no_grad():
    for _ in range(6):
        chances = model(rhyme)[:, -1].softmax(dim=-1)
        best = chances.argmax(dim=-1, keepdim=True)
        rhyme = torch.cat([rhyme, best], dim=1)
print("continued:", rhyme.tolist())
print("sure: %.6f" % chances.max())
