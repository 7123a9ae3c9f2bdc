import torch
from torch.utils.data import Dataset


class Sentences(Dataset):
    def __init__(self, count):
        self.count = count
        self.start = torch.tensor([1])

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        words = torch.arange(2, 3 + index)
        return torch.cat([self.start, words]), torch.tensor(index % 2)


def pad_batch(samples):
    width = max(len(words) for words, _ in samples)
    padded = torch.zeros(len(samples), width, dtype=torch.long)
    for row, (words, _) in zip(padded, samples):
        row[: len(words)] = words
    return padded, torch.stack([label for _, label in samples])
