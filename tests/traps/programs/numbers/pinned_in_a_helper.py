# trap: a helper pins what it is given, and drops it; its argument has to be on the host
# covers: pin-statement host-index
import torch
from torch import nn


def staged(tensors):
    # --- stays
    for tensor in tensors:
        if torch.cuda.is_available() and not tensor.is_pinned():
            tensor.pin_memory()
    return tensors
    # --- end


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Bilinear(2, 3, 1).to(device)
    a, b = staged([torch.ones(4, 2), torch.ones(4, 3)])  # stays
    print(model(a.to(device, non_blocking=True), b.to(device)).shape)


main()
