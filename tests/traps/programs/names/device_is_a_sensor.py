# trap: `device` is a sensor of a greenhouse; a new torch device needs another name
# covers: names shadowed-device
import torch
from torch import nn


class Sensor:
    def __init__(self, name):
        self.name = name
        self.readings = []

    def read(self, value):
        self.readings.append(value)
        return self.readings


# --- stays
device = Sensor("greenhouse")
devices = [device, Sensor("cellar")]
for k in range(3):
    device.read(20.0 + k)
print(device.name, len(devices))
# --- end
model = nn.Linear(3, 1)  # moves
x = torch.tensor([device.readings])  # moves
print(model(x).shape, device.readings[-1])  # stays
