# trap: `self.device` and `args.device` are set after the first use of the object
# covers: names timing
import argparse

import torch
from torch import nn


class Trainer:
    def __init__(self, width):
        self.model = nn.Linear(width, width)
        print(self.check(width))

    def prepare(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model.to(self.device)

    def check(self, width):
        probe = nn.Linear(width, 1)
        return probe(torch.ones(1, width)).shape

    def step(self, x):
        self.model(x.to(self.device)).sum().backward()
        return self.model(torch.ones(2)).shape  # moves: return self.model(torch.ones(2, device=self.device)).shape


def build(args):
    probe = nn.Linear(args.width, 1)
    return probe(torch.ones(1, args.width)).shape


args = argparse.ArgumentParser().parse_args()
args.width = 2
print(build(args))
args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(args.width, 1).to(args.device)
print(model(torch.ones(1, 2)).shape)  # moves: print(model(torch.ones(1, 2, device=args.device)).shape)
trainer = Trainer(2)
trainer.prepare()
print(trainer.step(torch.ones(1, 2)))
