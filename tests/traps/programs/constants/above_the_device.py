# trap: a constant on top of a script, above the device; a helper uses it beside its argument
# covers: class-level
import torch
from torch import nn

RGB = torch.tensor([0.3, 0.6, 0.1])  # stays


def grey(images):
    return (images * RGB[:, None, None]).sum(1)  # moves


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Conv2d(3, 3, 1).to(device)
images = torch.ones(2, 3, 4, 4, device=device)  # stays
print(grey(model(images)).shape, grey(torch.ones(1, 3, 2, 2)).shape)  # stays
