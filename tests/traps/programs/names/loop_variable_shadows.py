# trap: a loop variable and a parameter called `device` shadow the global one
# covers: shadowed-device names
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(1, 1).to(device)


def report(device, count):
    # --- stays
    label = f"{device}: {count}"
    return label, torch.zeros(count).tolist()
    # --- end


def sweep(names):
    for device in names:  # stays
        yield report(device, 2)  # stays


print(list(sweep(["fan", "pump"])))
x = torch.ones(1, 1)  # moves
print(model(x).shape)
