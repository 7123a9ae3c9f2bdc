# trap: a library of compiled functions, with and without a tensor to follow
# covers: torchscript
import torch
from torch import Tensor


@torch.jit.script
def band(length: int, width: int) -> Tensor:
    rows = torch.arange(length)
    return (rows[:, None] - rows[None, :]).abs() <= width


@torch.jit.script
def banded(scores: Tensor, width: int) -> Tensor:
    keep = band(scores.size(-1), width)  # stays or: keep = band(scores.size(-1), width).to(scores.device)
    return scores.masked_fill(~keep, float("-inf"))  # stays or: return scores.masked_fill(~keep.to(scores.device), float("-inf"))
