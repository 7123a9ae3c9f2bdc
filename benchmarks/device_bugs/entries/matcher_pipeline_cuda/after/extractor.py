import torch
import torch.nn as nn


class Extractor(nn.Module):
    """Dense descriptors, and the keypoints where they respond most."""

    def __init__(self, dim=16, keypoints=12):
        super().__init__()
        self.keypoints = keypoints
        self.conv = nn.Sequential(nn.Conv2d(1, dim, 3, padding=1), nn.ReLU(), nn.Conv2d(dim, dim, 3, padding=1))

    def forward(self, image):
        maps = self.conv(image)[0]
        response = maps.pow(2).sum(0)
        index = response.flatten().topk(self.keypoints).indices
        width = response.shape[1]
        points = torch.stack([index % width, index // width], dim=1)
        return points.float(), nn.functional.normalize(maps.flatten(1)[:, index].t(), dim=1)
