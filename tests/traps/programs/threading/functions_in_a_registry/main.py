# trap: functions are looked up in a dictionary; not all of them could take a device
# covers: threading
import torch
from torch import nn

from makers import MAKERS, build

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
for name in sorted(MAKERS):
    rows = build(name, 3)
    print(name, model(torch.as_tensor(rows, dtype=torch.float32, device=device)).shape)
print(sum(build("range", 3)))
