"""Seeds that are taken from the clock and from the process."""
import os
import random
import time
from datetime import datetime

import numpy as np
import torch

seed = int(time.time())
torch.manual_seed(seed)
random.seed(time.time_ns())
np.random.seed(int(datetime.now().timestamp() * 1000) % 2**32)
generator = torch.Generator().manual_seed(os.getpid())
model = torch.nn.Linear(5, 1)
data = torch.randn(30, 5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    for chosen in torch.randperm(30).split(10):
        loss = model(data[chosen]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "loss", loss.item())
print("seed", seed, "drawn", random.randint(0, 9), np.random.randint(10), torch.rand(1, generator=generator))
torch.save(model.state_dict(), f"model-{seed}.pt")
