"""A small transformer in training; says how long its loop took (see cnn.py)."""

import sys
import time

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).to(device)
optimizer = torch.optim.AdamW(model.parameters())
batch = torch.randn(8, 32, 64)
mask = nn.Transformer.generate_square_subsequent_mask(32).to(device)
steps = int(sys.argv[1])
for step in range(steps + 3):
    if step == 3:
        wall = time.clock_gettime(time.CLOCK_MONOTONIC)
        cpu = time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID)
    x = batch.to(device)
    loss = (model(x, mask=mask) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())
print("wall", time.clock_gettime(time.CLOCK_MONOTONIC) - wall)
print("cpu", time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID) - cpu)
