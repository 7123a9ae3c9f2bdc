# trap: a compiled function that is only ever called on the host
# covers: torchscript numpy
import numpy as np
import torch
from torch import nn


@torch.jit.script
def overlap(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    # --- stays
    low = torch.max(a[:, None, :2], b[None, :, :2])
    high = torch.min(a[:, None, 2:], b[None, :, 2:])
    size = torch.clamp(high - low, min=0.0)
    return size[..., 0] * size[..., 1] * torch.ones(1)
    # --- end


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 4).to(device)
anchors = torch.tensor([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 2.0, 2.0]])  # stays
with torch.no_grad():
    found = model(anchors.to(device)).cpu()
print(np.asarray(overlap(anchors, anchors)).tolist(), overlap(anchors, found).shape)  # stays
