# trap: `to_gpu` of another file moves already; a second transfer is one too many
# covers: imported-to-gpu moved-later
import torch
from torch import nn

from moving import to_cpu, to_gpu

model = to_gpu(nn.Linear(3, 2))
x = to_gpu(torch.ones(4, 3))
target = to_gpu(torch.zeros(4, dtype=torch.long))
loss = nn.functional.cross_entropy(model(x), target)
print(loss.item() > 0, to_cpu(model(x)).detach().numpy().shape)
