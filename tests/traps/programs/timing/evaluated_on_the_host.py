# trap: training is on the device, evaluation deliberately on the host
# covers: timing on-purpose
import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def evaluate(model, count):
    # --- stays
    x = torch.linspace(-1, 1, count).unsqueeze(1)
    y = x.pow(2)
    with torch.no_grad():
        return (model(x) - y).abs().max().item()
    # --- end


torch.manual_seed(0)
model = nn.Linear(1, 1).to(device)
inputs = torch.rand(8, 1)  # moves
nn.functional.mse_loss(model(inputs), inputs).backward()
print(evaluate(copy.deepcopy(model).cpu(), 5) > 0)  # stays
