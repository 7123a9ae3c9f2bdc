import torch
from helpers import *
print(score(torch.ones(1, 3)))
