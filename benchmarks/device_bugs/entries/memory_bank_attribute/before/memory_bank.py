import torch
import torch.nn as nn
import torch.nn.functional as F


class MemoryBank(nn.Module):
    """A ring of features; the oldest are overwritten."""

    def __init__(self, size, dim):
        super().__init__()
        self.size = size
        self.bank = F.normalize(torch.randn(dim, size), dim=0)
        self.ptr = 0

    @torch.no_grad()
    def enqueue(self, batch):
        end = self.ptr + len(batch)
        self.bank[:, self.ptr:end] = batch.t()
        self.ptr = end % self.size

    def forward(self, output, update=True):
        bank = self.bank.clone().detach()
        if update:
            self.enqueue(output.detach())
        return bank


class NTXentLoss(nn.Module):
    def __init__(self, temperature=0.2, size=32, dim=16):
        super().__init__()
        self.temperature = temperature
        self.memory = MemoryBank(size, dim)

    def forward(self, query, key):
        query, key = F.normalize(query, dim=1), F.normalize(key, dim=1)
        negatives = self.memory(key)
        positive = (query * key).sum(1, keepdim=True)
        logits = torch.cat([positive, query @ negatives], dim=1) / self.temperature
        labels = torch.zeros(len(query), dtype=torch.long, device=query.device)
        return F.cross_entropy(logits, labels)
