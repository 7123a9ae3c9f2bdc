# trap: a module-level helper writes noise into gradients; a library, nobody calls it here
# covers: grad-view
import numpy as np
import torch


def add_noise(parameters, scale, rng=np.random):
    for p in parameters:
        if p.grad is None:
            continue
        flat = p.grad.view(-1).numpy()
        flat += rng.normal(0, scale, size=flat.shape).astype(flat.dtype)


def zero_small(parameters, limit):
    for p in parameters:
        array = p.grad.detach().numpy()
        array[np.abs(array) < limit] = 0


def norm(parameters):
    return torch.sqrt(sum((p.grad**2).sum() for p in parameters))
