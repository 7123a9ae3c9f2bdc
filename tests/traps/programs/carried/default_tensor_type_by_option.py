# trap: an option sets the default tensor type, and no factory below needs a device
# covers: default-type carried
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true", help="train with CUDA")
args = parser.parse_args([])
if args.cuda and torch.cuda.is_available():
    torch.set_default_tensor_type(torch.cuda.FloatTensor)


def priors(count):
    # --- stays
    steps = torch.arange(count).float() / count
    return torch.stack([steps, torch.ones(count)], 1)
    # --- end


model = nn.Linear(2, 2)  # stays
print(model(priors(3)).shape)  # stays
