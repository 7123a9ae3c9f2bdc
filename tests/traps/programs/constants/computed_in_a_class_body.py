# trap: a class body runs while the file is read; a module that it uses stays where its input is
# covers: class-level timing
import torch
from torch import nn


class Table:
    probe = nn.Linear(2, 1)  # stays
    shape = probe(torch.ones(1, 2)).shape  # stays


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
print(model(torch.ones(1, 2)).shape, Table.shape)  # moves
