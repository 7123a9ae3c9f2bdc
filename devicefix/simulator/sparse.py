"""Sparse tensors (layout COO) of the device: indices and values are relabelled, the rest is built
around them.

A sparse tensor has no memory of its own, so there is no alias of it; each side gets a new one over
the same indices and values. What changes a sparse tensor in place is done on such a stand-in, and
the outcome copied back.
"""

from __future__ import annotations

from typing import Any

import torch

from devicefix.simulator import kernels
from devicefix.simulator.checks import Check, are_apart
from devicefix.simulator.kernels import Kernel, Workshop
from devicefix.simulator.signatures import Op, signature_of

Tensor = torch.Tensor
_aten = torch.ops.aten
_ALIASES = torch._C.DispatchKeySet(torch._C.DispatchKey.SparseCPU)

_METADATA = frozenset({
    "_indices", "_values", "indices", "values", "sparse_dim", "dense_dim", "_dimI", "_dimV",
    "_nnz", "is_coalesced", "_coalesced_",
})  # fmt: skip
"""Operators that look at or change what a sparse tensor holds, not the numbers in it."""

_CONSTRUCTORS = frozenset(
    {"_sparse_coo_tensor_with_dims", "_sparse_coo_tensor_with_dims_and_tensors"}
)


def kernel_of(op: Op, name: str, check: Check, shop: Workshop) -> Kernel:
    """The kernel of an operator with sparse operands."""
    if name in _METADATA:
        return _viewing(op)
    if name in _CONSTRUCTORS:
        return _constructing(op, check, shop)
    if any(place is not None for place in signature_of(op).returned):
        return _in_place(op, check, shop)
    return kernels.computing(op, check, shop)


def _viewing(op: Op) -> Kernel:
    """The CPU's kernel on the device's tensor itself."""
    redispatch = op.redispatch

    def kernel(*arguments: Any, **keywords: Any) -> Any:
        return redispatch(_ALIASES, *arguments, **keywords)

    return kernel


def _constructing(op: Op, check: Check, shop: Workshop) -> Kernel:
    """A new sparse tensor belongs to the current device; its parts are compared with each other.

    `SparseTensorImpl` makes its first, empty parts itself (aten/src/ATen/SparseTensorImpl.cpp).
    """
    accelerator, redispatch = shop.accelerator, op.redispatch

    def kernel(*arguments: Any, device: Any = None, **keywords: Any) -> Any:
        if are_apart(arguments, keywords):
            check(arguments, keywords)
        before, index = accelerator.current.get(), accelerator.index(device)
        accelerator.current.set(index)
        try:
            return redispatch(_ALIASES, *arguments, device=accelerator.devices[index], **keywords)
        finally:
            accelerator.current.set(before)

    return kernel


def _in_place(op: Op, check: Check, shop: Workshop) -> Kernel:
    """What is written to a stand-in is copied back; a dense operand's alias is its own memory."""
    copy = _aten.copy_sparse_to_sparse_.default
    (place,) = signature_of(op).returned
    assert place is not None
    to_host, to_device = shop.relabel.to_host, shop.relabel.to_device

    def alias(value: Any) -> Any:
        return to_host(value) if isinstance(value, Tensor) and value.get_device() >= 0 else value

    def kernel(*arguments: Any, **keywords: Any) -> Any:
        target = place.of(arguments, keywords)
        if any(isinstance(value, Tensor) and value.device != target.device for value in arguments):
            check(arguments, keywords)
        names = {name: alias(value) for name, value in keywords.items()}
        result = op._op(*map(alias, arguments), **names)
        if target.layout is torch.sparse_coo:
            copy.redispatch(_ALIASES, target, to_device(result, target.get_device()))
        return target

    return kernel
