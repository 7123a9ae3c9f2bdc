# trap: names that are devices only where a branch, a loop or a `try` has gone well
# covers: names guard
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--fast", action="store_true")
args = parser.parse_args()
if args.fast:
    chosen = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(nn.Linear(2, 1).to(chosen))
for name in ["cuda"] if torch.cuda.is_available() else []:
    looped = torch.device(name)
    print(nn.Linear(2, 1).to(looped))
try:
    print(torch.randn(2, 0).max().item())
    tried = torch.device("cuda" if torch.cuda.is_available() else "cpu")
except RuntimeError:
    print("nothing there")
found = torch.device("cuda" if torch.cuda.is_available() else "cpu")
head = nn.Linear(2, 1).to(found)
del found
print(head(torch.ones(1, 2)).shape)  # moves: print(head(torch.ones(1, 2, device=device)).shape)


def probe():
    layer = nn.Linear(2, 2).to("cuda" if torch.cuda.is_available() else "cpu")
    return layer(torch.ones(1, 2)).shape  # moves


print(probe())
