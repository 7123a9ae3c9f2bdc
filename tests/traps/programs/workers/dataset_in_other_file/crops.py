import multiprocessing as mp

import torch


def crop(index):
    image = torch.arange(16.0).view(4, 4) + index
    mask = torch.triu(torch.ones(4, 4))
    return (image * mask)[1:3, 1:3].tolist()


def all_crops(count):
    with mp.get_context("fork").Pool(2) as pool:
        return pool.map(crop, range(count))
