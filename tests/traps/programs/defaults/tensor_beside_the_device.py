# trap: the default meets a tensor of the device inside; it moves there, not in the signature
# covers: default-argument
import torch
from torch import nn


def smooth(x, kernel=torch.tensor([[[0.25, 0.5, 0.25]]])):  # stays
    return nn.functional.conv1d(x, kernel, padding=1)  # moves


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Conv1d(1, 1, 1).to(device)
signal = torch.ones(1, 1, 5, device=device)  # stays
print(smooth(model(signal)).shape)
