"""Where torch's C++ objects keep what makes a tensor one of the host or of a device.

Three fields say it: the dispatch keys of a `TensorImpl`, its device, and the device of its
`StorageImpl`. Their places move from release to release, so they are found by looking for known
values in objects of this very torch, and tried before they are used.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch

from devicefix.simulator.errors import Refused

_WORD: Final = 8
_HALF: Final = 2

_TENSOR_IMPL: Final = 192
_STORAGE_IMPL: Final = 64
_PYTHON_TENSOR: Final = 32
_CAPSULE: Final = 48
"""Bytes that are surely part of these objects (c10/core/TensorImpl.h, c10/core/StorageImpl.h,
torch/csrc/autograd/python_variable.h, CPython's Objects/capsule.c).
"""
_OBJECTS: Final = 256
"""Together more than 64 kB, so that their addresses differ in the lowest two halves."""


@dataclass(frozen=True)
class Layout:
    """Distances in bytes from the beginning of an object to its field."""

    implementation: int
    """In a Python tensor: the address of its `TensorImpl`."""
    keys: int
    """In a `TensorImpl`: its dispatch keys, a word."""
    device: int
    """In a `TensorImpl`: its `c10::Device`, a half: type and index."""
    storage: int
    """In a `TensorImpl`: the address of its `StorageImpl`."""
    storage_device: int
    """In a `StorageImpl`: the `c10::Device` of its memory."""
    pointer: int
    """In a Python capsule: the pointer that it holds."""


def find_layout() -> Layout:
    """The layout of this torch. Raises `Refused` if a field is not where one can tell it.

    The code of the host may stand elsewhere by chance, as a part of an address: many objects are
    looked at, which lie far enough from each other that it cannot in all of them.
    """
    tensors = [torch.empty(3) for _ in range(_OBJECTS)]
    storages = [tensor.untyped_storage() for tensor in tensors]
    host = device_code(0, -1)
    python = [(id(tensor), tensor._cdata) for tensor in tensors]
    keys = [(t._cdata, bits_of(torch._C._dispatch_keys(t))) for t in tensors]
    inner = [(t._cdata, s._cdata) for t, s in zip(tensors, storages, strict=True)]
    return Layout(
        implementation=_find("object", python, object.__basicsize__, _WORD, _PYTHON_TENSOR),
        keys=_find("dispatch keys", keys, 0, _WORD, _TENSOR_IMPL),
        device=_find("device", [(t._cdata, host) for t in tensors], 0, _HALF, _TENSOR_IMPL),
        storage=_find("storage", inner, 0, _WORD, _TENSOR_IMPL),
        storage_device=_find(
            "storage's device", [(s._cdata, host) for s in storages], 0, _HALF, _STORAGE_IMPL
        ),
        pointer=_find_pointer(torch._C._to_dlpack(tensors[0])),
    )


def _find_pointer(capsule: object) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    pointer = get(capsule, b"dltensor")
    return _find("pointer", [(id(capsule), pointer)], object.__basicsize__, _WORD, _CAPSULE)


def bits_of(keys: torch._C.DispatchKeySet) -> int:
    """A set of dispatch keys as it lies in memory (c10/core/DispatchKeySet.h)."""
    if hasattr(keys, "raw_repr"):  # since torch 2.5
        return ctypes.c_int64(keys.raw_repr()).value
    return _word(_word(id(keys) + object.__basicsize__))  # pybind11 keeps a pointer to it


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _half(address: int) -> int:
    return ctypes.c_uint16.from_address(address).value


def device_code(kind: int, index: int) -> int:
    """A `c10::Device` as it lies in memory (c10/core/Device.h): no index is -1."""
    return kind | (index & 0xFF) << 8


def _find(what: str, objects: Sequence[tuple[int, int]], first: int, size: int, end: int) -> int:
    """Where each object, by its address, holds the value that belongs to it."""
    read = _word if size == _WORD else _half
    found = list(range(first, end, size))
    for start, value in objects:
        found = [offset for offset in found if read(start + offset) == value]
    if len(found) != 1:
        raise Refused(f"cannot tell where this torch's tensors and capsules keep their {what}")
    return found[0]
