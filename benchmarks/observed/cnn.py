"""A small convolutional network in training; says how long its loop took.

``clock_gettime`` is not among what a verification replaces: the program measures itself.
"""

import sys
import time

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(32 * 7 * 7, 64), nn.ReLU(), nn.Linear(64, 10),
).to(device)  # fmt: skip
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
images, labels = torch.randn(16, 1, 28, 28), torch.randint(10, (16,))
steps = int(sys.argv[1])
for step in range(steps + 3):
    if step == 3:  # the first ones are warmer
        wall = time.clock_gettime(time.CLOCK_MONOTONIC)
        cpu = time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID)
    loss = nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())
print("wall", time.clock_gettime(time.CLOCK_MONOTONIC) - wall)
print("cpu", time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID) - cpu)
