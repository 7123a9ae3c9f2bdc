import numpy
import torch
from torch.utils.data import DataLoader, TensorDataset


def spirals(points):
    """Two spirals that wind around each other, and to which one each point belongs."""
    angles = torch.linspace(0, 6, points)
    arm = torch.stack([angles.cos(), angles.sin()], dim=1) * angles.unsqueeze(1)
    noise = torch.from_numpy(numpy.random.default_rng(0).normal(0, 0.1, (2 * points, 2)))
    return torch.cat([arm, -arm]) + noise.float(), torch.arange(2).repeat_interleave(points)


def batches(points):
    return DataLoader(TensorDataset(*spirals(points)), batch_size=64, shuffle=True)
