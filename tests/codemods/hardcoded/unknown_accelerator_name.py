# case: seeds
# reports: DFX214
import torch

torch.accelerator.manual_seed_all(0)

# case: other names for what there is
# reports: DFX214
import torch as th
from torch import accelerator

if accelerator.is_available():
    accelerator.set_device(0)
    print(th.accelerator.current_device(), th.accelerator.mem_get_info())

# case: an import
# reports: DFX214
from torch.accelerator import get_device_name, is_available

print(is_available() and get_device_name())

# case: what came later than the oldest torch
# reports: DFX214
# min-torch: 2.7
import torch

if torch.accelerator.is_available():
    torch.accelerator.empty_cache()

# case: an argument that came later
# reports: DFX214
# min-torch: 2.6
import torch

print(torch.accelerator.current_accelerator(check_available=True))

# case: the oldest torch has it
# min-torch: 2.9
import torch

print(torch.accelerator.current_accelerator(check_available=True))
if torch.accelerator.is_available():
    torch.accelerator.empty_cache()

# case: nobody has said how old the torch may be
import torch

print(torch.accelerator.current_accelerator(check_available=True))
if torch.accelerator.is_available():
    torch.accelerator.empty_cache()

# case: the program asks
# min-torch: 2.6
import torch

if hasattr(torch.accelerator, "empty_cache"):
    torch.accelerator.empty_cache()
if hasattr(torch.accelerator, "manual_seed_all") and torch.accelerator.manual_seed_all(0):
    print("seeded")

# case: an error is caught
# min-torch: 2.6
import torch

try:
    torch.accelerator.empty_cache()
except (AttributeError, RuntimeError):
    print("nothing to empty")

# case: the program asks for the version
# min-torch: 2.6
import torch
from packaging import version

NEW = version.parse(torch.__version__) >= version.parse("2.9")


def forget():
    if NEW and torch.accelerator.is_available():
        torch.accelerator.reset_peak_memory_stats()


forget()

# case: something else has that name
from types import SimpleNamespace

import torch

accelerator = SimpleNamespace(manual_seed_all=print)
accelerator.manual_seed_all(0)
print(torch.ones(3).sum().item())

# case: a name of a part of it
# min-torch: 2.14
import torch

print(torch.accelerator.memory.empty_cache)
