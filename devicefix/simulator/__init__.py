"""A GPU that is not there: genuine device tensors, real numbers, CUDA's own errors, on any machine.

Standard library and torch only: this package is put into the user's own interpreter. What it does
not simulate is said in docs/simulator. Importing this package does not import torch: the command
line reads the names of devices without.

A tensor of the device lies in CPU memory; its dispatch keys and its device are rewritten (`layout`,
`relabelling`). `guard` and `hooks` answer torch's core in the place of a driver, through tables of
virtual functions (`vtables`). What has a CUDA kernel in torch's list of operators gets one here
(`catalogue`, `registration`, `kernels`): it checks its arguments (`checks`, `limits`), runs the
CPU's kernel on aliases, and labels the results; torch composes all else as on a GPU. `handwritten`,
`sparse`, `nested`, `permutations`, `whole` and `optimizers` are the exceptions. `runtime` and its
neighbours are Python's side (`torch.cuda`). `selftest` tries a new torch in a child process first,
since a mistake in the layout ends in a segmentation fault. `watching` tells an observer of each
kernel and copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from devicefix.simulator.devices import Simulated, parse

if TYPE_CHECKING:
    from devicefix.simulator.accelerator import Accelerator
    from devicefix.simulator.errors import NotSimulated, Refused
    from devicefix.simulator.installation import install, installed

__all__ = ["Accelerator", "NotSimulated", "Refused", "Simulated", "install", "installed", "parse"]


def __getattr__(name: str) -> Any:
    """The names that need torch, when they are first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from devicefix.simulator import accelerator, errors, installation

    rooms = (accelerator, errors, installation)
    return next(getattr(room, name) for room in rooms if hasattr(room, name))
