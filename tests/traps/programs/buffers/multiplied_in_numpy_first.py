# trap: a local shares memory with an array, is multiplied in place, and only then made a buffer
# covers: numpy-buffer buffer init-local numpy
import numpy as np
import torch
from torch import nn


class MelFilter(nn.Module):
    def __init__(self, bins, bands):
        super().__init__()
        # --- stays
        centres = np.linspace(0, bins - 1, bands + 2).astype(np.float32)
        bank = torch.from_numpy(np.zeros((bands, bins), dtype=np.float32))
        for row in range(bands):
            bank[row] = torch.clamp(1 - (torch.arange(bins) - centres[row + 1]).abs() / 2, min=0)
        width = torch.from_numpy(centres[2:] - centres[:-2])
        bank *= 2.0 / width.unsqueeze(1)
        self.register_buffer("bank", bank)
        # --- end

    def forward(self, spectrum):
        return torch.log1p(spectrum @ self.bank.t())


run_on = "cuda" if torch.cuda.is_available() else "cpu"
filters = MelFilter(16, 4).to(run_on)
spectrum = torch.ones(2, 16)  # moves
print(filters(spectrum).shape)
