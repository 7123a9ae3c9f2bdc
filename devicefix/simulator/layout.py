"""Where torch's C++ objects keep what makes a tensor one of the host or of a device.

Three fields say it: the dispatch keys of a `TensorImpl`, its device, and the device of its
`StorageImpl`. Their places move from release to release, so they are found by looking for known
values in objects of this very torch, and tried before they are used.
"""

from __future__ import annotations

import ctypes
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
    """The layout of this torch. Raises `Refused` if a field is not where one can tell it."""
    tensor = torch.empty(3)
    storage = tensor.untyped_storage()
    host = device_code(0, -1)
    keys = bits_of(torch._C._dispatch_keys(tensor))
    return Layout(
        implementation=_find(
            "object", id(tensor), object.__basicsize__, _WORD, _PYTHON_TENSOR, tensor._cdata
        ),
        keys=_find("dispatch keys", tensor._cdata, 0, _WORD, _TENSOR_IMPL, keys),
        device=_find("device", tensor._cdata, 0, _HALF, _TENSOR_IMPL, host),
        storage=_find("storage", tensor._cdata, 0, _WORD, _TENSOR_IMPL, storage._cdata),
        storage_device=_find("storage's device", storage._cdata, 0, _HALF, _STORAGE_IMPL, host),
        pointer=_find_pointer(torch._C._to_dlpack(tensor)),
    )


def _find_pointer(capsule: object) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    pointer = get(capsule, b"dltensor")
    return _find("pointer", id(capsule), object.__basicsize__, _WORD, _CAPSULE, pointer)


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


def _find(what: str, start: int, first: int, size: int, end: int, value: int) -> int:
    read = _word if size == _WORD else _half
    found = [offset for offset in range(first, end, size) if read(start + offset) == value]
    if len(found) != 1:
        raise Refused(f"cannot tell where this torch's tensors and capsules keep their {what}")
    return found[0]
