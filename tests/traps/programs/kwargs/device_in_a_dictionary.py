# trap: the options hold a device already; a second one is a TypeError
# covers: kwargs
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
options = {"device": device, "dtype": torch.float32}
more = dict(device=device)
model = nn.Linear(3, 2).to(device)
# --- stays
a = torch.zeros(2, 3, **options)
b = torch.full((2, 3), 0.5, **more)
c = torch.tensor([[1.0, 2.0, 3.0]], **{"device": device})
# --- end
d = torch.ones(2, 3)  # moves
print(model(a + b + c + d).shape)
