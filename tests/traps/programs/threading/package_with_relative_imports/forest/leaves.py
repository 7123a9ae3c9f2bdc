import torch
from torch.utils.data import Dataset

from .shapes import outline


# --- stays
class Leaves(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return outline(index), torch.tensor(index % 2)


def gather(samples):
    rows = torch.zeros(len(samples), 3)
    for row, (shape, _) in zip(rows, samples):
        row[: len(shape)] = shape
    return rows, torch.stack([kind for _, kind in samples])


# --- end
