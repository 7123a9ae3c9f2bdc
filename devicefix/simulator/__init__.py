"""A GPU that is not there: genuine device tensors, real numbers, CUDA's own errors, on any machine.

Standard library and torch only: this package is put into the user's own interpreter. What it does
not simulate is said in docs/simulator. Importing this package does not import torch: the command
line reads the names of devices without.
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
