# trap: `partial` has bound the device
# covers: kwargs carried
from functools import partial

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
zeros = partial(torch.zeros, device=device)
tensor = partial(torch.tensor, dtype=torch.float32, device=device)
arange = lambda n, **kw: torch.arange(n, **{"device": device, **kw})
model = nn.Linear(3, 2).to(device)
print(model(zeros(2, 3)).shape, model(tensor([[1, 2, 3]])).shape)  # stays
print(model(arange(3, dtype=torch.float32)).shape)  # stays
print(model(torch.zeros(1, 3)).shape)  # moves
