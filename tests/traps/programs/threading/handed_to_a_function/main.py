# trap: functions are handed to functions of another file, which call them with what they know
# covers: threading collate
import torch
from torch import nn
from torch.utils.data import DataLoader

from calling import average, first, pad

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def ramp(count):
    return torch.arange(count).float()


model = nn.Linear(3, 1).to(device)
print(model(average(ramp, 3)).shape, model(average(torch.zeros, 3)).shape)  # moves
print(first(ramp, [2, 3]), first(len, ["ab", "c"]))  # stays
for x in DataLoader([[1.0], [2.0, 3.0, 4.0]], batch_size=2, collate_fn=pad):  # moves
    print(model(x).shape)
