# trap: layers and weights that are put into a model before it moves as a whole
# covers: parameter
import torch
from torch import nn


def with_new_head(model, classes):
    # --- stays
    old = model[-1]
    head = nn.Linear(old.in_features, classes)
    head.weight = nn.Parameter(torch.cat([old.weight.detach(), torch.zeros(1, old.in_features)]))
    with torch.no_grad():
        head.bias[: old.out_features] = old.bias
    model[-1] = head
    # --- end
    return model


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2))  # stays
model = with_new_head(model, 3).to(device)  # stays
print(model(torch.ones(1, 3)).shape)  # moves
