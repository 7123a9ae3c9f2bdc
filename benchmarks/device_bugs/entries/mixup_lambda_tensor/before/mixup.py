import numpy as np
import torch


def mixup(data, targets, alpha, rng):
    """Mix each sample with another one of its batch."""
    indices = torch.from_numpy(rng.permutation(data.size(0)))
    data2, targets2 = data[indices], targets[indices]
    lam = rng.beta(alpha, alpha, size=data.size(0)).astype(np.float32)
    lam = torch.from_numpy(np.maximum(lam, 1 - lam)).view(-1, 1, 1, 1)
    return lam * data + (1 - lam) * data2, lam * targets + (1 - lam) * targets2
