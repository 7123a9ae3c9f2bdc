# trap: devices are rows of a table; an attribute `.device` is a string
# covers: names shadowed-device
import torch
from torch import nn

torch_device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Click:
    def __init__(self, device, seconds):
        self.device, self.seconds = device, seconds


def one_hot(clicks, device_names):
    # --- stays
    table = torch.zeros(len(clicks), len(device_names))
    for row, click in enumerate(clicks):
        table[row, device_names.index(click.device)] = click.seconds
    return table
    # --- end


model = nn.Linear(3, 1).to(torch_device)
clicks = [Click("phone", 2.0), Click("cuda", 1.0), Click("tablet", 4.0)]
device = clicks[0].device  # stays
table = one_hot(clicks, ["phone", "tablet", "cuda"])
for click in clicks:
    device = click.device  # stays
assert device == "tablet"
print(model(table.to(torch_device)).shape)
