"""Pinned memory: ordinary memory of the host, from an allocator of its own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

import torch

from devicefix.simulator.errors import Refused
from devicefix.simulator.hooks import allocator_of_pinned_memory

_FIELDS: Final = 24
"""Words to look through: `c10::StorageImpl` is smaller (c10/core/StorageImpl.h)."""


def install() -> None:
    """Let `Tensor.is_pinned` and `Tensor.pin_memory` know pinned memory. Raises `Refused`.

    torch's own answer comes from the driver, which is asked for an address; ours from the storage,
    which remembers its allocator.
    """
    is_pinned = _is_pinned()
    native = torch.Tensor.pin_memory

    def pin_memory(self: torch.Tensor, device: Any = None) -> torch.Tensor:
        if self.device.type != "cpu":
            raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
        return self if is_pinned(self) else native(self)

    methods: Any = torch.Tensor
    methods.pin_memory = pin_memory
    methods.is_pinned = is_pinned


def _is_pinned() -> Callable[..., bool]:
    allocator = ctypes.CFUNCTYPE(ctypes.c_void_p)(allocator_of_pinned_memory())()
    offset = _allocator_field(allocator)
    word = ctypes.c_void_p.from_address

    def is_pinned(self: torch.Tensor, device: Any = None) -> bool:
        if self.device.type != "cpu" or self.layout is not torch.strided:
            return False
        return bool(word(self.untyped_storage()._cdata + offset).value == allocator)

    return is_pinned


def _allocator_field(allocator: int) -> int:
    """Where in a storage its allocator lies, in bytes: found by looking at pinned memory."""
    storage = torch.empty(1, pin_memory=True).untyped_storage()
    size = ctypes.sizeof(ctypes.c_void_p)
    fields = (ctypes.c_void_p * _FIELDS).from_address(storage._cdata)
    for index, field in enumerate(fields):
        if field == allocator:
            return index * size
    raise Refused("this torch takes pinned memory from another allocator than it was told")
