"""Workers of a DataLoader with random numbers of their own."""
import os
import random
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        return index, torch.randn(2), np.random.rand(), random.random()


def reseed(worker):
    np.random.seed((int(time.time() * 1000) + worker + os.getpid()) % 2**32)


def main():
    for seeds in (None, reseed):
        loader = DataLoader(Noisy(), batch_size=4, num_workers=2, worker_init_fn=seeds, shuffle=True)
        for index, noise, mine, own in loader:
            print(sorted(index.tolist())[:2], noise.sum().item(), mine.numpy(), own.mean())
    print("seen", len(loader.dataset))


if __name__ == "__main__":
    main()
