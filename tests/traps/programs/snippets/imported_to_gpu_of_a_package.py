# trap: `to_gpu` of a package that nobody has seen
# covers: imported-to-gpu
# needs: a package that is not installed
import torch
from neverland.utils import to_cpu, to_gpu
from torch import nn


def fit(model, rows):
    model = to_gpu(model)
    x = to_gpu(torch.tensor(rows))
    return to_cpu(model(x)).detach().numpy()


print(fit(nn.Linear(2, 1), [[1.0, 2.0]]))
