# trap: the cached tensor is written by its readers: it must stay one tensor
# covers: cache alias
from functools import cache

import torch


@cache
def counter(size):
    return torch.zeros(size)


def visit(size, place):
    counts = counter(size)
    counts[place] += 1
    return counts


for place in (0, 2, 2, 1):
    visit(3, place)
print(counter(3).tolist(), counter(3) is counter(3))
