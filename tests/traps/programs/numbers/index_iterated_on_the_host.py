# trap: `for i in ix` walks over the index on the host, and `pin_memory()` needs host tensors
# covers: host-index pin-statement numpy
import numpy as np
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
tokens = np.arange(40, dtype=np.uint16) % 10


def get_batch(block, size):
    # --- stays
    ix = torch.randint(len(tokens) - block, (size,))
    x = torch.stack([torch.from_numpy(tokens[i : i + block].astype(np.int64)) for i in ix])
    y = torch.stack([torch.from_numpy(tokens[i + 1 : i + 1 + block].astype(np.int64)) for i in ix])
    if device == "cuda":
        x, y = x.pin_memory().to(device, non_blocking=True), y.pin_memory().to(device, non_blocking=True)
    else:
        x, y = x.to(device), y.to(device)
    return x, y
    # --- end


torch.manual_seed(0)
model = nn.Embedding(10, 10).to(device)
x, y = get_batch(4, 3)
loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
weight = torch.ones(10)  # moves
print((loss + nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten(), weight)).item() > 0)
