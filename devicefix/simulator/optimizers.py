"""Optimizers whose default on a device is another algorithm than on the host.

For parameters on CUDA `torch.optim` takes the form that works on lists of tensors ("foreach"). For
most optimizers it rounds as the loop over single tensors does, and one operator of the simulation
instead of many is welcome. For those below it does not, so they take the loop, as on the host,
unless the program asks for ``foreach=True``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

_ROUNDS_DIFFERENTLY: Final = ("asgd", "nadam", "radam")
"""Their modules in `torch.optim`. Found by training with either form on the host."""


def install() -> None:
    """Let them choose as they do for parameters of the host."""
    for name in _ROUNDS_DIFFERENTLY:
        module: Any = import_module(f"torch.optim.{name}")
        module._default_to_fused_or_foreach = _neither
    averages: Any = import_module("torch.optim.swa_utils")
    averages._get_foreach_kernels_supported_devices = list  # for the average of weights, none


def _neither(*arguments: Any, **keywords: Any) -> tuple[bool, bool]:
    return False, False
