# case: by expression
# reports: DFX211
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(torch.ones(3, device=device).sum().item())

# case: by statement, with a name for the question
# reports: DFX211
import torch

use_cuda = torch.cuda.is_available()
if use_cuda:
    device = torch.device("cuda:0")
else:
    device = torch.device("cpu")
print(torch.ones(3, device=device).sum().item())

# case: other accelerators, too
import torch

device = torch.device(
    "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
)
print(torch.ones(3, device=device).sum().item())

# case: other accelerators first
import torch

if torch.backends.mps.is_available():
    device = "mps"
elif torch.cuda.is_available():
    device = "cuda"
else:
    device = "cpu"
print(torch.ones(3, device=device).sum().item())

# case: any accelerator
import torch

device = torch.accelerator.current_accelerator() or torch.device("cpu")
print(torch.ones(3, device=device).sum().item())

# case: something else is chosen
import torch

name = "fast" if torch.cuda.is_available() else "slow"
options = {"pin_memory": True} if torch.cuda.is_available() else {}
print(name, options, torch.ones(3).sum().item())
