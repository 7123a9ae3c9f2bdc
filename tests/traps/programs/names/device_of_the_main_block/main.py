# trap: the `device` of another file's self-test is not there when that file is imported
# covers: names imported-to-gpu
import torch

from net import Net, ramp

model = Net()
print(model(torch.ones(2, 2)).shape, model.plain(3).shape, ramp(3).tolist())
