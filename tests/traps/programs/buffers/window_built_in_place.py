# trap: steps from NumPy to a buffer; to move one of them and not the others breaks the product
# covers: numpy-buffer buffer init-local numpy
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Blur(nn.Module):
    def __init__(self, channels, size=3):
        super().__init__()
        row = np.array([1.0, 2.0, 1.0])
        kernel = torch.Tensor(row[:, None] * row[None, :])
        ones = torch.ones(size, size)
        kernel.mul_(ones)
        kernel = kernel / torch.sum(kernel)
        self.channels = channels
        self.register_buffer("kernel", kernel[None, None].repeat(channels, 1, 1, 1))

    def forward(self, x):
        return F.conv2d(F.pad(x, [1, 1, 1, 1]), self.kernel, groups=self.channels)
