# trap: functions that nobody calls here may run as soon as they are handed over
# covers: names timing
import functools
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn


def job(count):
    layer = nn.Linear(count, 1)
    return layer(torch.ones(1, count)).shape


class Job:
    def run(self, count):
        layer = nn.Linear(count, 1)
        return layer(torch.ones(1, count)).shape


with ThreadPoolExecutor(1) as pool:
    print(list(pool.map(functools.partial(job), [2, 3])), list(pool.map(Job().run, [2, 3])))
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
print(model(torch.ones(1, 2)).shape)  # moves: print(model(torch.ones(1, 2, device=device)).shape)
