# trap: a layer visits the device and returns; between the visits it is on the host
# covers: timing on-purpose
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
layers = [nn.Linear(3, 3), nn.Linear(3, 3)]
x = torch.ones(2, 3, device=device)  # stays
for layer in layers:
    # --- stays
    layer.to(device)
    x = layer(x)
    layer.to("cpu")
    # --- end
print(x.shape, [layer(torch.zeros(1, 3)).shape[1] for layer in layers])  # stays
