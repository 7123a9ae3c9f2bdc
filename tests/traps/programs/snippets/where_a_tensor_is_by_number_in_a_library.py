# trap: the same in a library, on a buffer and in a list
# covers: cuda-get-device
# needs: cuda
import torch


def one_hot(index, count):
    table = torch.zeros(index.size(0), count).cuda(index.get_device())  # stays or: table = torch.zeros(index.size(0), count).to(index.device)
    return table.scatter_(1, index.unsqueeze(1), 1.0)  # stays


def split_masks(t, parts):
    size = t.size(0) // parts
    return [
        torch.arange(size * k, size * (k + 1)).cuda(t.get_device())  # stays or: torch.arange(size * k, size * (k + 1)).to(t.device)
        for k in range(parts)  # stays
    ]
