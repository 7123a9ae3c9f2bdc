"""Tensors that say they live on the device, over memory of the host; and back.

`torch._C._to_dlpack` wraps a tensor in a capsule whose first fields say where its memory is; one
number changed, `torch._C._from_dlpack` makes a genuine tensor of the other device from it. Nothing
is copied, both tensors share the memory, and DLPack's own deleter keeps it alive. The new tensor
has a storage of its own that begins at its first element.
"""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import torch

from devicefix.simulator.accelerator import Accelerator

Tensor = torch.Tensor

_HOST: Final = 1
"""kDLCPU (dlpack.h)."""
_DEVICE_OFFSET: Final = 8
"""A `DLTensor` begins with the pointer to its data; the device follows: type, then index, 32 bits
each.
"""
_NAME: Final = b"dltensor"

_CPU: Final = torch.device("cpu")
_SPARSE: Final = torch._C.DispatchKeySet(torch._C.DispatchKey.SparseCPU)

_SAME_SIZE: Final = MappingProxyType(
    {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
)


class Relabeller:
    """Makes aliases on the other side."""

    to_host: Callable[[Tensor], Tensor]
    """The same memory as a tensor of the host."""
    to_device: Callable[[Tensor, int], Tensor]
    """The same memory as a tensor of the device with this index."""

    def __init__(self, accelerator: Accelerator) -> None:
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype = ctypes.c_void_p
        pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        plain = _relabel_with_address if accelerator.name == "xpu" else _relabel
        relabel = _with_sparse(_with_lazy_bits(_with_odd_dtypes(plain(pointer))), accelerator)
        self.to_host = lambda tensor: relabel(tensor, _HOST)
        if accelerator.name == "xpu":
            self.to_device = _through_current(relabel, accelerator)
            return
        if accelerator.name == "mps":
            relabel = _without_float64(relabel)
        code = accelerator.kind.dlpack
        words = [code | index << 32 for index in range(accelerator.count)]
        self.to_device = lambda tensor, index: relabel(tensor, words[index])


_Relabel = Callable[[Tensor, int], Tensor]


def _relabel(pointer: Any) -> _Relabel:
    wrap: Callable[[Tensor], Any] = torch._C._to_dlpack
    unwrap: Callable[[Any], Tensor] = torch._C._from_dlpack
    word = ctypes.c_int64.from_address

    def relabel(tensor: Tensor, device: int) -> Tensor:
        capsule = wrap(tensor)
        word(pointer(capsule, _NAME) + _DEVICE_OFFSET).value = device
        return unwrap(capsule)

    return relabel


def _relabel_with_address(pointer: Any) -> _Relabel:
    """As `_relabel`; for XPU, torch wants to see an address even of a tensor without elements."""
    wrap: Callable[[Tensor], Any] = torch._C._to_dlpack
    unwrap: Callable[[Any], Tensor] = torch._C._from_dlpack
    word = ctypes.c_int64.from_address
    somewhere = torch.zeros(1)

    def relabel(tensor: Tensor, device: int) -> Tensor:
        capsule = wrap(tensor)
        start = pointer(capsule, _NAME)
        word(start + _DEVICE_OFFSET).value = device
        word(start).value = word(start).value or somewhere.data_ptr()
        return unwrap(capsule)

    return relabel


def _with_odd_dtypes(relabel: _Relabel) -> _Relabel:
    """What this torch's DLPack cannot name (float8 before 2.10, bits) travels as integers of the
    same size.
    """
    stand_ins = {dtype: _SAME_SIZE[dtype.itemsize] for dtype in _dtypes() if not _travels(dtype)}
    if not stand_ins:
        return relabel

    def relabel_any(tensor: Tensor, device: int) -> Tensor:
        stand_in = stand_ins.get(tensor.dtype)
        if stand_in is None:
            return relabel(tensor, device)
        return relabel(tensor.view(stand_in), device).view(tensor.dtype)

    return relabel_any


def _with_sparse(relabel: _Relabel, accelerator: Accelerator) -> _Relabel:
    """A sparse tensor has no memory: a new one is built over relabelled indices and values.

    What DLPack cannot take beside it is refused with a sentence.
    """
    devices = {
        _HOST: _CPU,
        **{
            accelerator.kind.dlpack | i << 32: device
            for i, device in enumerate(accelerator.devices)
        },
    }

    def relabel_any_layout(tensor: Tensor, device: int) -> Tensor:
        try:
            return relabel(tensor, device)
        except (RuntimeError, BufferError):
            if tensor.layout is torch.strided and not tensor.is_quantized:
                raise
        if tensor.layout is not torch.sparse_coo:
            what = (
                "quantized tensors" if tensor.is_quantized else f"tensors of layout {tensor.layout}"
            )
            raise NotImplementedError(f"devicefix does not simulate {what} on a device")
        return _stand_in(tensor, devices[device], lambda part: relabel(part, device))

    return relabel_any_layout


def _stand_in(tensor: Tensor, device: torch.device, relabel: Callable[[Tensor], Tensor]) -> Tensor:
    """The same sparse tensor on the other side; ``relabel`` takes indices and values there."""
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


def _with_lazy_bits(relabel: _Relabel) -> _Relabel:
    """DLPack drops the bits that say "conjugated" and "negated" of a view; the memory is not
    either.
    """

    def relabel_exactly(tensor: Tensor, device: int) -> Tensor:
        alias = relabel(tensor, device)
        if tensor.is_conj():
            alias = torch._conj(alias)
        if tensor.is_neg():
            alias = torch._neg_view(alias)
        return alias

    return relabel_exactly


def _without_float64(relabel: _Relabel) -> _Relabel:
    """Metal has none (aten/src/ATen/mps/EmptyTensor.cpp)."""
    absent = frozenset({torch.float64, torch.complex128})

    def relabel_single(tensor: Tensor, device: int) -> Tensor:
        if tensor.dtype in absent:
            raise TypeError(
                "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support "
                "float64. Please use float32 instead."
            )
        return relabel(tensor, device)

    return relabel_single


def _through_current(
    relabel: _Relabel, accelerator: Accelerator
) -> Callable[[Tensor, int], Tensor]:
    """For XPU, torch asks the hooks whose memory it is (aten/src/ATen/DLConvertor.cpp): they say,
    the current one's.
    """
    code, current = accelerator.kind.dlpack, accelerator.current

    def to_device(tensor: Tensor, index: int) -> Tensor:
        before = current.get()
        current.set(index)
        try:
            return relabel(tensor, code)
        finally:
            current.set(before)

    return to_device


def _dtypes() -> list[torch.dtype]:
    found = {value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    return [dtype for dtype in found if dtype.itemsize in _SAME_SIZE and "q" not in str(dtype)[6:8]]


def _travels(dtype: torch.dtype) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some dtypes are called experimental
        try:
            torch._C._to_dlpack(torch.empty(1, dtype=dtype))
        except (RuntimeError, BufferError):
            return False
    return True
