# trap: collate functions hidden in `partial` and in a lambda
# covers: collate
from functools import partial

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
lines = [[1, 2, 3], [4], [5, 6], [7, 8, 9, 1]]


def merge(batch, end):
    rows = [torch.cat([torch.tensor(line), end]) for line in batch]  # stays
    return pad_sequence(rows, batch_first=True)


stop = torch.tensor([11])  # stays
model = nn.Embedding(12, 3).to(device)
for ids in DataLoader(lines, batch_size=2, collate_fn=partial(merge, end=stop)):  # moves
    print(model(ids).shape)
for ids in DataLoader(lines, batch_size=1, collate_fn=lambda b: torch.tensor(b[0])):  # moves
    print(model(ids).shape)
