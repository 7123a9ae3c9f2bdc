"""Which operands an operator takes together, as the CUDA kernels check it.

There are three families. Most wrappers that torch's code generator makes begin with a check of
every argument (``device_check`` in native_functions.yaml). Those that leave it out compute with
TensorIterator, which exempts one 0-dim tensor of the host. And some operators have rules of their
own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import torch

from devicefix.simulator.catalogue import Entry, read_catalogue
from devicefix.simulator.convolutions import UNTYPED, backend_of
from devicefix.simulator.messages import (
    Operand,
    argument_elsewhere,
    convolution_types,
    index_elsewhere,
    mask_elsewhere,
    refuse,
    slow_convolution,
    two_devices,
    values_elsewhere,
)
from devicefix.simulator.signatures import Op, find

Tensor = torch.Tensor

Check = Callable[[Sequence[Any], Mapping[str, Any]], None]
"""Called with the arguments of an operator that are not all on one device; raises, or lets them
pass.
"""


def check_of(op: Op, entry: Entry | None, key: str) -> Check:
    """The check that ``op`` makes on dispatch key ``key``, the wording of its errors included."""
    name = op._schema.name.removeprefix("aten::")
    if name in _NOTHING:
        return _no_check
    if name in _READING:
        return _Reading(op)
    if name in _WRITING:
        return _Writing(op)
    if name == "masked_fill_":
        return _MaskedFill(op)
    if name in _CONVOLUTIONS:
        return _Convolution(op, key)
    if entry is not None and entry.checked:
        return _Placeholder(op) if key == "MPS" else _SameDevice(op, entry, key)
    return _Iterator(op)


_NOTHING = frozenset({
    "copy_", "_to_copy", "_copy_from", "set_", "_has_same_storage_numel", "is_same_size",
    "fill_",  # reads its number (aten/src/ATen/native/Fill.cpp)
    "_nested_from_padded", "_nested_view_from_buffer",  # sizes are on the host
})  # fmt: skip
_READING = frozenset({"index", "_unsafe_index"})
_WRITING = frozenset({"index_put", "index_put_", "_index_put_impl_", "_unsafe_index_put"})
_CONVOLUTIONS = frozenset({"convolution", "_convolution", "convolution_overrideable"})


class _Named:
    """Knows the names of an operator's arguments. They are asked for where a check is made: most of
    a thousand operators are never given arguments that lie apart.
    """

    def __init__(self, op: Op) -> None:
        self.op = op

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(argument.name for argument in self.op._schema.arguments)

    @cached_property
    def _outs(self) -> tuple[str, ...]:
        return tuple(argument.name for argument in self.op._schema.arguments if argument.is_out)

    def operands(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> list[Operand]:
        """All tensors, those that are written first: wrappers and TensorIterator look at outputs
        before inputs.
        """
        outs = [(name, keywords[name]) for name in self._outs if name in keywords]
        ins = [*zip(self._names, arguments, strict=False)]
        ins += [(name, value) for name, value in keywords.items() if name not in self._outs]
        return [Operand(name, tensor) for name, value in outs + ins for tensor in tensors_of(value)]


class _SameDevice(_Named):
    """``c10::impl::check_and_update_common_device``, argument after argument; nothing is exempt."""

    def __init__(self, op: Op, entry: Entry, key: str) -> None:
        super().__init__(op)
        self._entry = entry
        self._key = key

    def __call__(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        operands = self.operands(arguments, keywords)
        common = operands[0].tensor.device
        for operand in operands:
            if operand.tensor.device != common:
                wrapper = _wrapper(self.op, self._entry, self._key)
                refuse(argument_elsewhere(operand, common, wrapper), self.op, operands)


class _Placeholder(_Named):
    """Wrappers for MPS check nothing (``device_guard``, torchgen/gen.py): the kernel does, when it
    hands a tensor to Metal's graph (``Placeholder``,
    aten/src/ATen/native/mps/OperationUtils.mm).
    """

    def __call__(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        operands = self.operands(arguments, keywords)
        refuse("Placeholder storage has not been allocated on MPS device!", self.op, operands)


class _Iterator(_Named):
    """``TensorIteratorBase::compute_types``: the first device that is not the host is the common
    one.
    """

    @cached_property
    def _written(self) -> frozenset[str]:
        return frozenset(
            argument.name
            for argument in self.op._schema.arguments
            if argument.alias_info is not None and argument.alias_info.is_write
        )

    def __call__(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        operands = self.operands(arguments, keywords)
        common = next(o.tensor.device for o in operands if o.tensor.device.type != "cpu")
        for operand in operands:
            tensor = operand.tensor
            if tensor.device == common:
                continue
            if tensor.dim() or tensor.device.type != "cpu" or operand.name in self._written:
                refuse(two_devices(common, tensor.device), self.op, operands)


class _Reading(_Named):
    """``check_indices_on_cpu_or_selfdevice``: indices of the host are copied over."""

    def __call__(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        operands = self.operands(arguments, keywords)
        indexed = operands[0].tensor.device
        for operand in operands[1:]:
            if operand.tensor.device != indexed and operand.tensor.device.type != "cpu":
                refuse(index_elsewhere(indexed), self.op, operands)


class _Writing(_Named):
    """``_index_put_impl_`` (aten/src/ATen/native/TensorAdvancedIndexing.cpp): indices are copied
    over from anywhere, and so are 0-dim values. Others have to be where the indexed tensor is.
    """

    def __call__(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        operands = self.operands(arguments, keywords)
        values = next(operand.tensor for operand in operands if operand.name == "values")
        here, there = operands[0].tensor.device, values.device
        if here == there or not values.dim():
            return
        if here.type != "cpu" and _is_accumulating(arguments, keywords):
            refuse(values_elsewhere(here, there), self.op, operands)
        common, other = (there, here) if here.type == "cpu" else (here, there)
        refuse(two_devices(common, other), self.op, operands)


def _is_accumulating(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    return bool(arguments[3] if len(arguments) > 3 else keywords.get("accumulate"))


class _MaskedFill(_Named):
    """``masked_fill__cuda`` (aten/src/ATen/native/cuda/Indexing.cu): the value's number is read."""

    def __call__(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        operands = self.operands(arguments, keywords)
        filled, mask = (operand.tensor.device for operand in operands[:2])
        if len(operands) > 2 and filled.type == "cpu":
            refuse("masked_fill_: Expected inputs to be on same device", self.op, operands)
        if filled != mask:
            refuse(mask_elsewhere(mask, filled), self.op, operands)


class _Convolution(_Named):
    """What a convolution compares is the business of the kernel that is chosen by its input
    (``_convolution``, aten/src/ATen/native/Convolution.cpp). Those of cuDNN and of MKLDNN have the
    legacy types of input, weight and bias compared, which hold the kind of device; which of several
    devices it is, cuDNN compares, and the addition of the bias. The others compare nothing: the
    check in front of the kernel speaks.
    """

    def __init__(self, op: Op, key: str) -> None:
        super().__init__(op)
        self._key = key

    def __call__(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        named = {**dict(zip(self._names, arguments, strict=False)), **keywords}
        operands = self.operands(arguments, keywords)[:3]
        backend = backend_of(named)
        if backend == "Empty":
            _multiply(named)
        elif backend in UNTYPED:
            self._by_wrapper(UNTYPED[backend], operands, named)
        else:
            self._compare_types(operands, named, "Mkldnn" in backend)

    def _by_wrapper(self, name: str, operands: Sequence[Operand], named: Mapping[str, Any]) -> None:
        op, entry, here = find(name), read_catalogue().get(name), named["input"].device
        if op is None or entry is None:
            return
        if self._key == "MPS" and name == UNTYPED["Slow2d"]:
            refuse(slow_convolution(here, named["weight"].device), self.op, operands)
        if "CUDA" not in entry.keys:  # torch says so
            op(named["input"], named["weight"], named["weight"].shape[2:], named["bias"],
               named["stride"], named["padding"])  # fmt: skip
        for operand in operands:
            if operand.tensor.device != here:
                text = argument_elsewhere(operand, here, _wrapper(op, entry, self._key))
                refuse(text, self.op, operands)

    def _compare_types(
        self, operands: Sequence[Operand], named: Mapping[str, Any], mkldnn: bool
    ) -> None:
        data, *parameters = operands
        for operand in parameters:
            tensor = operand.tensor
            if tensor.type() != data.tensor.type():
                hinted = mkldnn and operand.name == "weight"
                text = convolution_types("Input", data.tensor, operand.name, tensor, hinted)
                refuse(text, self.op, operands)
        here = data.tensor.device
        for operand in parameters:
            there = operand.tensor.device
            if there != here and operand.name == "bias":
                refuse(two_devices(here, there), self.op, operands)
            if there != here:
                transposed = "_transpose" if named["transposed"] else ""
                wrapper = f"wrapper_{here.type.upper()}__cudnn_convolution{transposed}"
                refuse(argument_elsewhere(operand, here, wrapper), self.op, operands)


def _multiply(named: Mapping[str, Any]) -> None:
    """What a convolution of no images, or of none of their channels, comes to."""
    data, weight, bias = named["input"], named["weight"].reshape(-1), named["bias"]
    product = data * weight[0] if data.shape[1] else data.reshape(-1) * weight
    if bias is not None:
        product.add_(bias[0])


def _no_check(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    pass


def are_apart(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Whether there are tensors on more than one device among the arguments."""
    tensors = tensors_of([*arguments, *keywords.values()])
    return len({tensor.device for tensor in tensors}) > 1


def tensors_of(value: Any) -> Iterator[Tensor]:
    """The tensors in an argument."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_of(item)


def _wrapper(op: Op, entry: Entry, key: str) -> str:
    """The name of the generated function (torchgen/dest/register_dispatch_key.py).

    A structured kernel's is ``wrapper_CUDA_mm_out_out``, another's
    ``wrapper_CUDA_out_index_select_out``.
    """
    overload = op._schema.overload_name
    name = op._schema.name.removeprefix("aten::")
    if any(argument.is_out for argument in op._schema.arguments):
        name += "_out"
    if entry.structured and not key.startswith("Sparse"):  # only dense kernels are structured
        return f"wrapper_{key}_{name}" + (f"_{overload}" if overload else "")
    return f"wrapper_{key}_{overload}_{name}"
