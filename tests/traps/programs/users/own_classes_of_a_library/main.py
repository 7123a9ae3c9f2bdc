# trap: `.cuda()`, `.to()` and `is_cuda()` of classes that another file defines
# covers: user-cuda user-to own-is-cuda
import torch
from torch import nn

from boats import Boat, fleet

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
boat = Boat("Barracuda").cuda().to("harbour")
boat.cuda()
print(boat, boat.is_cuda(), [b.to("sea") for b in fleet(2)])
print(model(torch.ones(1, 2, device=device)).shape)
