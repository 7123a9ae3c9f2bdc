# trap: the tensor behind `out=` is of a CUDA type, and the call says nothing else
# covers: arange-out
# needs: cuda
import torch
import torch.nn as nn


def block_indices(n, reverse=False):
    index = torch.arange(
        0,  # stays
        n,  # stays
        out=torch.cuda.LongTensor(n),
    )
    return index.flip(0) if reverse else index  # stays


class Blocks(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.table = nn.Embedding(n, 2)
        self.n = n

    def forward(self):
        return self.table(block_indices(self.n))
