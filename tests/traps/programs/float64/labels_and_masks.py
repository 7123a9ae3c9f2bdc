# trap: labels, indices, masks are no floats, wherever they go
# covers: float64 integer-labels
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
table = nn.Embedding(5, 3).to(device)
head = nn.Linear(3, 2).to(device)
words = torch.from_numpy(np.array([0, 4, 2]))  # moves: words = torch.from_numpy(np.array([0, 4, 2])).to(device)
kinds = torch.from_numpy(np.array([1, 0, 1]))  # moves: kinds = torch.from_numpy(np.array([1, 0, 1])).to(device)
known = torch.from_numpy(np.array([True, False, True]))
logits = head(table(words))
loss = nn.functional.cross_entropy(logits, kinds, reduction="none")
print(logits[known].shape, loss.masked_select(known.to(device)).shape)
