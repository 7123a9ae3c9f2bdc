# case: made to meet a parameter, and code that was not seen calls the function, too
from scipy import optimize
import torch


def solve(damping: torch.Tensor, gradient: torch.Tensor, hessian: torch.Tensor):
    regular = hessian + (damping - 1) ** 2 * torch.eye(len(hessian))
    return regular @ gradient


def step(gradient, hessian: torch.Tensor, low):
    if low < 3:
        hessian += 0.5 * torch.eye(hessian.shape[0])
    optimize.brent(solve, (gradient, hessian))
    return solve(torch.tensor(1.0), gradient, hessian)

# output
from scipy import optimize
import torch


def solve(damping: torch.Tensor, gradient: torch.Tensor, hessian: torch.Tensor):
    regular = hessian + (damping - 1) ** 2 * torch.eye(len(hessian), device=hessian.device)
    return regular @ gradient


def step(gradient, hessian: torch.Tensor, low):
    if low < 3:
        hessian += 0.5 * torch.eye(hessian.shape[0], device=hessian.device)
    optimize.brent(solve, (gradient, hessian))
    return solve(torch.tensor(1.0), gradient, hessian)

# case: what is computed of something unknown moves nothing of its caller
# reports: DFX103
import lib
import torch


def damped(hessian: torch.Tensor, factor: float) -> torch.Tensor:
    return hessian + factor * torch.eye(len(hessian))


print(damped(lib.hessian(3), 0.5) @ torch.ones(3))

# output
import lib
import torch


def damped(hessian: torch.Tensor, factor: float) -> torch.Tensor:
    return hessian + factor * torch.eye(len(hessian), device=hessian.device)


print(damped(lib.hessian(3), 0.5) @ torch.ones(3))

# case: a parameter may be left out, and then there is nothing to follow
# reports: DFX103
import lib
import torch


def damped(hessian: torch.Tensor = None):
    if hessian is None:
        hessian = lib.hessian(3)
    return hessian + torch.eye(3)


print(damped() @ torch.ones(3))

# case: callers bring tensors of the CPU only
import torch


def damped(hessian: torch.Tensor) -> torch.Tensor:
    return hessian + torch.eye(len(hessian))


print(damped(torch.zeros(3, 3)).numpy())

# case: what is made meets the parameter in one branch only
# reports: DFX103
import lib
import torch


def damped(hessian: torch.Tensor, factor: float) -> torch.Tensor:
    eye = torch.eye(len(hessian))
    if factor:
        return hessian + factor * eye
    return lib.solve(eye)


print(damped(lib.hessian(3), lib.factor()) @ torch.ones(3))

# case: a number of the host is no place to go to
import lib
import torch


def scaled(factor: torch.Tensor):
    return lib.scale(torch.ones(3) * factor)


print(scaled(torch.tensor(0.5)))

# case: a module that is traced on the CPU: the graph keeps the device
import torch
from torch import nn


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x) + torch.arange(2)


model = Shifted().cpu().eval()
torch.jit.save(torch.jit.trace(model, torch.ones(1, 2)), "shifted.pt")

# case: one that was sent to what nobody has said is a device
import torch


def weighted(x: torch.Tensor, device):
    x = x.to(device)
    return x * torch.tensor([1.0, 2.0])


def shifted(x: torch.Tensor, y: torch.Tensor, kind):
    first, second = x.to(kind), y.to(kind)
    shift = torch.ones(3)
    if first.sum() > 0:
        return second + shift
    return first

# output
import torch


def weighted(x: torch.Tensor, device):
    x = x.to(device)
    return x * torch.tensor([1.0, 2.0], device=x.device)


def shifted(x: torch.Tensor, y: torch.Tensor, kind):
    first, second = x.to(kind), y.to(kind)
    shift = torch.ones(3)
    if first.sum() > 0:
        return second + shift.to(second.device)
    return first

# case: what is no tensor may be sent to a unit, and what is made here to another kind
import numpy as np
import torch


def read(length, unit):
    length = length.to(unit)
    return np.array(length), length * np.ones(3)


def made(n, kind):
    x = torch.zeros(n)
    y = x.to(kind)
    return x + y

# case: what is made to meet a tensor of callers that nobody has seen is where they have that, not on the device that they name
import torch


def distance(logits, levels, device="cpu"):
    classes = logits.shape[1] + 1
    probs = torch.cumsum(logits, dim=1).to(device)
    truth = torch.sum(levels, dim=1, keepdim=True, dtype=logits.dtype)
    far = torch.abs(truth.repeat(1, classes) - torch.arange(0, classes)).to(device)
    return torch.sum(probs, 1) + torch.sum(far, 1)


def masked(x: torch.Tensor, device: torch.device) -> torch.Tensor:
    x = x.to(device)
    return x * torch.ones(3)

# output
import torch


def distance(logits, levels, device="cpu"):
    classes = logits.shape[1] + 1
    probs = torch.cumsum(logits, dim=1).to(device)
    truth = torch.sum(levels, dim=1, keepdim=True, dtype=logits.dtype)
    far = torch.abs(truth.repeat(1, classes) - torch.arange(0, classes, device=truth.device)).to(device)
    return torch.sum(probs, 1) + torch.sum(far, 1)


def masked(x: torch.Tensor, device: torch.device) -> torch.Tensor:
    x = x.to(device)
    return x * torch.ones(3, device=device)
