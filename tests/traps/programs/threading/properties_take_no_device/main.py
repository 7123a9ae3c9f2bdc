# trap: a property, `__call__`, `__getitem__` and `__iter__` cannot be handed a device
# covers: threading
import torch
from torch import nn

from tables import Table

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
table = Table(3)
print(model(table.identity).shape)  # moves
print(model(table[1]).shape)
print(model(table(2.0)).shape)
for row in table:
    print(model(row).shape)
print(len(table), table.names)
