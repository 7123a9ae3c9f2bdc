"""Tensors that say they live on the device, over memory of the host; and back.

A tensor that the CPU has just computed becomes one of the device where it lies: nobody else has
seen it yet, so the fields that say where it is are rewritten (`layout`).

A tensor of the device that the CPU shall compute with gets an alias, for the tensor itself belongs
to the program. `torch._C._to_dlpack` wraps it in a capsule whose first fields say where its memory
is; one number changed, `torch._C._from_dlpack` makes a genuine tensor of the host from it. Nothing
is copied, and DLPack's own deleter keeps the memory alive. The alias has a storage of its own that
begins at its first element: views that kernels make inside ask the storage where they are.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import torch

from devicefix.simulator import metal, nested
from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.errors import NotSimulated, Refused
from devicefix.simulator.layout import Layout, bits_of, device_code, find_layout
from devicefix.simulator.machine_code import MachineCode, PythonFunction

Tensor = torch.Tensor

_HOST: Final = 1
"""kDLCPU with index 0 (dlpack.h)."""
_DEVICE: Final = 8
"""A `DLTensor` begins with the pointer to its data; the device follows: type, then index, 32 bits
each.
"""

_CPU: Final = torch.device("cpu")
_SPARSE: Final = torch._C.DispatchKeySet(torch._C.DispatchKey.SparseCPU)

_SAME_SIZE: Final = MappingProxyType(
    {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
)
"""By them travels what this torch's DLPack cannot name: float8 before 2.10, bits."""


class Relabeller:
    """Makes tensors of one side out of those of the other."""

    to_host: Callable[[Tensor], Tensor]
    """The same memory as a tensor of the host."""
    to_device: Callable[[Tensor, int], Tensor]
    """The tensor itself, made one of the device with this index. It has to be a fresh one of the
    host, which nobody else knows.
    """

    settle: Callable[[Tensor], None]
    """Say again where the storage of a tensor of the device is: the host has given it new memory.
    """

    def __init__(self, accelerator: Accelerator, code: MachineCode) -> None:
        layout, keys = find_layout(), _Keys(accelerator.kind.key)
        self.to_host = _to_host(layout, keys, code)
        self.to_device = _to_device(layout, keys, accelerator, code)
        self.settle = _settle(layout, accelerator)
        if accelerator.name == "mps":
            self.to_device = metal.refuse_dtypes(self.to_device)

    def check(self, accelerator: Accelerator) -> None:
        """Try it, once there are kernels: up to torch 2.7 a capsule is made of a view. Raises
        `Refused`.
        """
        for index, device in enumerate(accelerator.devices):
            probe = self.to_device(torch.empty(3), index)
            if not (probe.device == probe.untyped_storage().device == device):
                raise Refused("this torch's tensors do not say where they are as expected")
            if self.to_host(probe).device != _CPU:
                raise Refused("this torch's tensors cannot be moved back to the CPU")


class _Keys:
    """Dispatch keys, as bits, that matter to a tensor's being here or there."""

    def __init__(self, key: str) -> None:
        host, device = _bits("CPU"), _bits(key)
        self.dense = host & device
        self.flip = host ^ device | _bits("AutocastCPU") | _bits(f"Autocast{key}")
        """Those that dense tensors of the host and of the device differ in."""
        self.conjugated, self.negated = _bits("Conjugate"), _bits("Negative")
        self.telling = self.dense | self.conjugated | self.negated
        """Of these a plain tensor has ``dense`` alone."""


def _bits(key: str) -> int:
    try:
        return bits_of(torch._C.DispatchKeySet(torch._C._dispatch_key_parse(key)))
    except RuntimeError:  # autocast for MPS is younger than the oldest torch
        return 0


def _to_host(layout: Layout, keys: _Keys, code: MachineCode) -> Callable[[Tensor], Tensor]:
    wrap: Callable[[Tensor], Any] = torch._C._to_dlpack
    unwrap: Callable[[Any], Tensor] = torch._C._from_dlpack
    exact = unwrap(wrap(torch.empty(1, 2))).stride() == (2, 1)
    plain = PythonFunction("plain", code.has_keys(layout, keys.telling, keys.dense))
    mark = PythonFunction("mark", code.write_behind_pointer(layout.pointer, _DEVICE, _HOST))
    check, on_host = plain.call, mark.call

    def to_host(tensor: Tensor) -> Tensor:
        if check(tensor) is plain:
            return unusual(tensor)
        try:
            alias = unwrap(on_host(wrap(tensor)))
        except (RuntimeError, BufferError):
            if tensor.dtype in _SAME_SIZE.values() or tensor.itemsize not in _SAME_SIZE:
                raise
            return to_host(tensor.view(_SAME_SIZE[tensor.itemsize])).view(tensor.dtype)
        return alias if exact or alias.stride() == tensor.stride() else _strided(alias, tensor)

    def unusual(tensor: Tensor) -> Tensor:
        if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_nested:
            return _rebuilt(tensor, _CPU, to_host)
        if tensor.is_conj():
            return torch._conj(to_host(torch._conj(tensor)))
        return torch._neg_view(to_host(torch._neg_view(tensor)))

    return to_host


def _strided(alias: Tensor, tensor: Tensor) -> Tensor:
    """Older torch changes strides of dimensions of size 1 on the way (ATen/DLConvertor.cpp,
    gh-83069), and some kernels read them: sparse sums take the first one for a row's length.
    """
    return alias.as_strided(tensor.size(), tensor.stride())


def _to_device(
    layout: Layout, keys: _Keys, accelerator: Accelerator, code: MachineCode
) -> Callable[[Tensor, int], Tensor]:
    marks = []
    for index in range(accelerator.count):
        device = device_code(accelerator.kind.c10, index)
        marks.append(PythonFunction("mark", code.relabel(layout, keys.dense, keys.flip, device)))
    calls = [mark.call for mark in marks]

    def to_device(tensor: Tensor, index: int) -> Tensor:
        if calls[index](tensor) is marks[index]:
            device = accelerator.devices[index]
            return _rebuilt(tensor, device, lambda part: to_device(part.detach(), index))
        return tensor

    return to_device


def _settle(layout: Layout, accelerator: Accelerator) -> Callable[[Tensor], None]:
    kind = accelerator.kind.c10

    def settle(tensor: Tensor) -> None:
        storage = tensor.untyped_storage()._cdata + layout.storage_device
        ctypes.c_uint16.from_address(storage).value = device_code(kind, tensor.get_device())

    return settle


def _rebuilt(tensor: Tensor, device: torch.device, relabel: Callable[[Tensor], Tensor]) -> Tensor:
    """A sparse tensor has no memory: a new one is built over relabelled indices and values. A
    nested one has a buffer.

    Raises `NotSimulated` for other layouts and for quantized tensors.
    """
    if tensor.is_nested and tensor.layout is torch.strided:
        return nested.rebuilt(tensor, relabel)
    if tensor.layout is not torch.sparse_coo:
        what = "quantized tensors" if tensor.is_quantized else f"tensors of layout {tensor.layout}"
        raise NotSimulated(f"{what} on a device")
    build = torch.ops.aten._sparse_coo_tensor_with_dims_and_tensors.default
    return build(  # type: ignore[no-any-return]
        tensor.sparse_dim(),
        tensor.dense_dim(),
        tensor.shape,
        relabel(_part(torch.ops.aten._indices.default, tensor)),
        relabel(_part(torch.ops.aten._values.default, tensor)),
        dtype=tensor.dtype,
        layout=torch.sparse_coo,
        device=device,
        is_coalesced=tensor.is_coalesced(),
    )


def _part(op: Any, tensor: Tensor) -> Tensor:
    return op.redispatch(_SPARSE, tensor)  # type: ignore[no-any-return]
