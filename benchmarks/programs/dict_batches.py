# run:
# run: --cpu
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Reviews(Dataset):
    def __init__(self, n=24):
        g = torch.Generator().manual_seed(0)
        self.ids = torch.randint(1, 30, (n, 7), generator=g)
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        ids = self.ids[i]
        return {"input_ids": ids, "attention_mask": (ids > 3).long(), "label": int(ids.sum()) % 2,
                "text": "review %d" % i, "meta": {"length": ids.numel(), "weight": torch.tensor(0.5 + i % 3)}}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 8, padding_idx=0)
        self.out = nn.Linear(8, 2)

    def forward(self, input_ids, attention_mask):
        e = self.emb(input_ids) * attention_mask.unsqueeze(-1)
        return self.out(e.sum(1) / attention_mask.sum(1, keepdim=True).clamp(min=1))


device = "cpu" if "--cpu" in sys.argv or not torch.cuda.is_available() else "cuda"
torch.manual_seed(0)
model = Model().to(device)
opt = torch.optim.AdamW(model.parameters(), lr=0.05)
texts = []
for epoch in range(2):
    total, seen = 0.0, 0
    for batch in DataLoader(Reviews(), batch_size=8):
        texts += batch["text"][:1]
        out = model(batch["input_ids"].to(device), batch["attention_mask"].to(device))
        losses = nn.functional.cross_entropy(out, batch["label"].to(device), reduction="none")
        loss = (losses * batch["meta"]["weight"].to(device)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(batch["label"])
        seen += batch["meta"]["length"].sum().item()
    print(epoch, "%.5f" % total, seen)
print(texts)
