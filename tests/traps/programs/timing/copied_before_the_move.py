# trap: the copy was made before the original moved; it is on the host
# covers: timing
import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
online = nn.Linear(3, 2)
reference = copy.deepcopy(online)
online.to(device)
print(reference(torch.ones(1, 3)).shape)  # stays
print(online(torch.ones(1, 3)).shape)  # moves: print(online(torch.ones(1, 3, device=device)).shape)
