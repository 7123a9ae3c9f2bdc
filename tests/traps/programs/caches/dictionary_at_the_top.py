# trap: a cache by hand: one dictionary, read by a library function and by its tests
# covers: cache class-level
import torch

_TABLES = {}


def table(size):
    if size not in _TABLES:
        _TABLES[size] = torch.hamming_window(size, periodic=False)
    return _TABLES[size]


def energy(samples, size=4):
    frames = samples.unfold(0, size, size)
    return (frames.cpu() * table(size)).pow(2).sum(1).tolist()


if __name__ == "__main__":
    print([round(e, 4) for e in energy(torch.arange(8.0))], sorted(_TABLES))
