"""Storages that move between host and device: `torch.load` and legacy code do it."""

from __future__ import annotations

from typing import Any

import torch
from torch.storage import UntypedStorage

from devicefix.simulator.accelerator import Accelerator


def install(accelerator: Accelerator) -> None:
    """Take the place of the C++ methods, which only know devices that they were built for."""
    native_new: Any = UntypedStorage.__new__

    def to(self: UntypedStorage, *, device: Any, non_blocking: bool = False) -> Any:
        target = torch.device(device)
        if target == self.device or (target.index is None and target.type == self.device.type):
            return self
        moved = torch.empty(self.nbytes(), dtype=torch.uint8, device=target)
        moved.copy_(torch.empty(0, dtype=torch.uint8, device=self.device).set_(self))
        return moved.untyped_storage()

    def to_device(self: UntypedStorage, device: Any = None, non_blocking: bool = False) -> Any:
        return to(self, device=accelerator.devices[accelerator.index(device)])

    def cpu(self: UntypedStorage) -> Any:
        return to(self, device="cpu")

    def new(cls: type[UntypedStorage], *arguments: Any, device: Any = None, **keywords: Any) -> Any:
        if device is None:
            return native_new(cls, *arguments, **keywords)
        if torch.device(device).type != accelerator.name:
            return native_new(cls, *arguments, device=device, **keywords)
        if arguments and isinstance(arguments[0], int):
            return torch.empty(arguments[0], dtype=torch.uint8, device=device).untyped_storage()
        return to(native_new(cls, *arguments, **keywords), device=device)

    for name, method in (("to", to), ("cpu", cpu), ("__new__", new), (accelerator.name, to_device)):
        setattr(UntypedStorage, name, method)
