# trap: a wrapper that answers `is_cuda()` for what it holds
# covers: own-is-cuda user-cuda
import torch
from torch import nn


class Packed:
    def __init__(self, data, sizes):
        self.data, self.sizes = data, sizes

    def is_cuda(self):
        return self.data.is_cuda

    def rows(self):
        return list(self.data.split(self.sizes))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
packed = Packed(torch.ones(5, 2).to(device), [2, 3])  # stays
if packed.is_cuda() != (device.type == "cuda"):  # stays
    raise SystemExit("on the wrong device")
print([model(row).shape for row in packed.rows()])  # stays
print(model(torch.ones(1, 2)).shape)  # moves
