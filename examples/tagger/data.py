import torch
from torch.utils.data import DataLoader, TensorDataset


def running_mean(length):
    """Row i averages over the words up to i."""
    seen = torch.tril(torch.ones(length, length))
    return seen / seen.sum(dim=1, keepdim=True)


def batches():
    words = torch.randint(0, 50, (256, 12))
    return DataLoader(TensorDataset(words, words.cumsum(dim=1) % 2), batch_size=32)
