import torch
import torch.nn as nn


class PatchLinearHead(nn.Module):
    """A linear layer for each patch; its width is that of the first features it gets."""

    def __init__(self, num_classes):
        super().__init__()
        self.num_classes = num_classes
        self.norm = None
        self.conv = None

    def _build(self, features):
        channels = features.size(1)
        self.norm = nn.GroupNorm(1, channels).to(features.device)
        self.conv = nn.Conv2d(channels, self.num_classes, kernel_size=1).to(features.device)

    def forward(self, features, size):
        if self.conv is None:
            self._build(features)
        out = self.conv(self.norm(features))
        return nn.functional.interpolate(out, size=size, mode="bilinear", align_corners=False)
