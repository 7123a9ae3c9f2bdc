# trap: a default that is written: it is the memory of all calls, and a copy would forget
# covers: default-argument alias
import torch
from torch import nn


def running(values, total=torch.zeros(3), count=torch.zeros(1)):
    total += values
    count += 1
    return total / count


class Meter:
    def __init__(self, start=torch.zeros(2)):
        self.sum = start.clone()

    def add(self, value, weight=torch.ones(2)):
        self.sum += weight * value
        return self.sum.tolist()


print([running(torch.full((3,), float(k))).tolist() for k in range(3)])
print(Meter().add(2.0))
