# trap: a global device that a function sets, used by functions that run before and after it
# covers: names timing threading
import torch
from torch import nn


def prepare():
    global device
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def ramp(count):
    return torch.arange(count, dtype=torch.float32)


def check():
    net = nn.Linear(3, 3)
    return net(ramp(3)).shape


print(check())
prepare()
net = nn.Linear(3, 3).to(device)
print(net(torch.ones(1, 3)).shape)  # moves: print(net(torch.ones(1, 3, device=device)).shape)
