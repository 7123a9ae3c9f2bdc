# trap: an option decides; a transfer that does not obey it moves what the user left on the host
# covers: guard config-guard
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", action="store_true")
args = parser.parse_args([])
torch.manual_seed(0)
table = torch.zeros(3)  # stays
counts = torch.arange(3)  # stays
if args.gpu and torch.cuda.is_available():
    torch.cuda.manual_seed(0)  # stays
table[counts] += 1.0  # stays
table = table.numpy()  # stays
print(table.tolist())
