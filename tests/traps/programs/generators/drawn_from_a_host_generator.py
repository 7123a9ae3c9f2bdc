# trap: a generator of the host draws on the host; `device=` beside it raises
# covers: generator
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = torch.Generator().manual_seed(7)  # stays
model = nn.Linear(3, 2).to(device)
noise = torch.randn(4, 3, generator=generator)  # moves: noise = torch.randn(4, 3, generator=generator).to(device)
keep = torch.empty(4).bernoulli_(0.5, generator=generator).tolist()  # stays
print(model(noise).shape, len(keep))
