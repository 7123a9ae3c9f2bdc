"""Random numbers from every source there is, none of them seeded."""
import os
import random
import secrets
import uuid

import numpy as np
import torch

model = torch.nn.Linear(3, 2)
print("torch", torch.rand(2), model(torch.randn(1, 3)).sum().item())
print("random", random.random(), random.choice(["red", "green", "blue", "white", "black"]))
print("numpy", np.random.rand(2), np.random.default_rng().normal())
print("entropy", int.from_bytes(os.urandom(4), "little"), secrets.token_hex(8))
print("uuid", uuid.uuid4(), uuid.uuid1())
print("system", random.SystemRandom().randint(0, 1000), torch.seed())
noise = torch.from_numpy(np.random.default_rng().random(4))
print("of numpy's own entropy", noise.mean().item(), noise.argmax().item())
if random.SystemRandom().random() < 0.5:
    print("heads")
    print("and a line more")
print("shuffled", np.random.default_rng().permutation(6).tolist())
