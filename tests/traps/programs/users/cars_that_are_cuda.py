# trap: a class with its own `is_cuda()`; it has nothing to do with tensors
# covers: own-is-cuda user-cuda
from dataclasses import dataclass

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@dataclass
class Car:
    model: str
    doors: int

    def is_cuda(self):
        return self.model.lower().endswith("cuda")

    def cuda(self):
        return Car("Barracuda", self.doors)


# --- stays
cars = [Car("Barracuda", 2), Car("Beetle", 3)]
print([car.is_cuda() for car in cars])
first = cars[0] if cars[0].is_cuda() else cars[1]
other = cars[1].cuda() if not cars[1].is_cuda() else cars[1]
if other.is_cuda():
    other = other.cuda()
# --- end
net = nn.Linear(1, 1).to(device)
print(first, other, net(torch.tensor([[float(first.doors)]])).shape)  # moves
