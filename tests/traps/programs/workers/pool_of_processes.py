# trap: a function that a pool of processes maps over chunks, beside a model on the device
# covers: worker multiprocessing
import multiprocessing

import torch
from torch import nn


def features(seed):
    # --- stays
    generator = torch.Generator().manual_seed(seed)
    table = torch.rand(4, 3, generator=generator)
    window = torch.hann_window(3)
    return (table * window).sum(0).numpy()
    # --- end


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        rows = pool.map(features, range(4))
    model = nn.Linear(3, 2).to(device)
    for row in rows:
        print(model(torch.from_numpy(row)).shape)  # moves


if __name__ == "__main__":
    main()
