"""Contrastive learning with a queue of keys that a slow encoder made."""
import copy

import torch
import torch.nn.functional as F
from torch import nn


class Contrast(nn.Module):
    def __init__(self, size=4, length=32):
        super().__init__()
        self.fast = nn.Linear(8, size)
        self.slow = copy.deepcopy(self.fast).requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(length, size), dim=1))
        self.register_buffer("place", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def follow(self):
        for slow, fast in zip(self.slow.parameters(), self.fast.parameters()):
            slow.lerp_(fast, 0.1)

    def forward(self, one, other):
        query = F.normalize(self.fast(one), dim=1)
        with torch.no_grad():
            key = F.normalize(self.slow(other), dim=1)
        scores = torch.cat([(query * key).sum(dim=1, keepdim=True), query @ self.queue.t().clone()], dim=1)
        start = int(self.place)
        self.queue[start : start + len(key)] = key
        self.place[0] = (start + len(key)) % len(self.queue)
        return F.cross_entropy(scores / 0.2, torch.zeros(len(key), dtype=torch.long, device=key.device))


torch.manual_seed(67)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Contrast().to(device)
optimizer = torch.optim.SGD(model.fast.parameters(), lr=0.3)
for step in range(10):
    base = torch.randn(8, 8)
    one, other = base + 0.1 * torch.randn(8, 8), base + 0.1 * torch.randn(8, 8)
    loss = model(one.to(device), other.to(device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.follow()
print("loss %.5f" % loss.item())
torch.save(model.state_dict(), "contrast.pt")
