import torch
import torch.nn as nn


class YoloHead(nn.Module):
    """Predicts a box in each cell for each of a few anchors."""

    stride = 8

    def __init__(self, channels, anchors, num_classes):
        super().__init__()
        self.outputs = 5 + num_classes
        self.register_buffer("anchors", torch.tensor(anchors).float())
        self.conv = nn.Conv2d(channels, len(anchors) * self.outputs, 1)

    @staticmethod
    def make_grid(nx, ny):
        yv, xv = torch.meshgrid(torch.arange(ny), torch.arange(nx), indexing="ij")
        return torch.stack((xv, yv), 2).view(1, 1, ny, nx, 2).float()

    def forward(self, x):
        x = self.conv(x)
        bs, _, ny, nx = x.shape
        x = x.view(bs, len(self.anchors), self.outputs, ny, nx).permute(0, 1, 3, 4, 2)
        y = x.sigmoid()
        grid = self.make_grid(nx, ny)
        xy = (y[..., 0:2] * 2.0 - 0.5 + grid) * self.stride
        wh = (y[..., 2:4] * 2) ** 2 * self.anchors.view(1, -1, 1, 1, 2)
        return torch.cat((xy, wh, y[..., 4:]), -1).flatten(1, 3)
