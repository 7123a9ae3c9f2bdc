# trap: in this function `device` is a string of the data, not the global device
# covers: shadowed-device names
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)


def score(record):
    device = record["device"]  # stays
    values = torch.tensor([record["values"]])
    result = model(values)
    return device.upper(), result.shape  # stays


print(score({"device": "thermometer", "values": [1.0, 2.0]}))
print(model(torch.ones(1, 2)).shape)  # moves: print(model(torch.ones(1, 2, device=device)).shape)
