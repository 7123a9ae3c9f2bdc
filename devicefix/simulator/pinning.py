"""Pinned memory: an ordinary copy on the host that says it is pinned."""

from __future__ import annotations

from typing import Any

import torch

_MARK = "_devicefix_pinned"
"""On the storage object: all views of the memory share it, and it goes with the memory."""


def install() -> None:
    """Take the place of `Tensor.pin_memory` and `Tensor.is_pinned`."""

    def pin_memory(self: torch.Tensor, device: Any = None) -> torch.Tensor:
        if self.device.type != "cpu":
            raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
        if is_pinned(self):
            return self
        pinned = self.clone()
        setattr(pinned.untyped_storage(), _MARK, True)
        return pinned

    def is_pinned(self: torch.Tensor, device: Any = None) -> bool:
        if self.device.type != "cpu" or self.layout is not torch.strided:
            return False
        return getattr(self.untyped_storage(), _MARK, False)

    torch.Tensor.pin_memory = pin_memory  # type: ignore[assignment,method-assign]
    torch.Tensor.is_pinned = is_pinned  # type: ignore[assignment,method-assign]
