import torch


class Padder:
    def __init__(self, width):
        self.empty = torch.zeros(width)

    def __call__(self, rows):
        padded = torch.stack([self.empty] * len(rows))
        for k, row in enumerate(rows):
            padded[k, : len(row)] = torch.tensor(row)
        return padded, padded != torch.zeros(1)


def buckets(data, size):
    order = torch.argsort(torch.tensor([len(row) for row in data]))
    return [chunk.tolist() for chunk in order.split(size)]
