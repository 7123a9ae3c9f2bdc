# case: by the name of torch, and by others
# reports: DFX215
# min-torch: 2.9
import torch
import torch as th
import torch.cuda as gpu
from torch import cuda
from torch.cuda import is_available

print(torch.cuda.device_count(), th.cuda.is_available(), gpu.is_available(), is_available())
cuda.empty_cache()

# case: a name that another name stands for
# reports: DFX215
import torch

backend = torch.cuda
print(backend.is_available())

# case: below a check, too
# reports: DFX215
import torch

if torch.accelerator.is_available() and torch.version.cuda:
    torch.cuda.synchronize()

# case: the module alone is no use of it
import torch
import torch.cuda as gpu
from torch import cuda

print(torch.ones(3).sum().item())

# case: what all accelerators have
import torch

print(torch.accelerator.is_available(), torch.ones(3).sum().item())

# case: text, and a comment
import torch

# torch.cuda.synchronize() waits
print("torch.cuda.synchronize", torch.ones(3).sum().item())

# case: another module of that name
from types import SimpleNamespace

import torch

cuda = SimpleNamespace(synchronize=print)
cuda.synchronize("done", torch.ones(3).sum().item())

# case: what it is imported by is not used for it
import torch.cuda

print(torch.ones(3).sum().item())

# case: settings of the backend are no calls of it
import torch

torch.backends.cuda.matmul.allow_tf32 = True
print(torch.version.cuda is None or torch.ones(3).sum().item())

# case: suppressed
import torch

print(torch.cuda.is_available())  # devicefix: ignore[DFX215]
