"""Strided nested tensors of the device: `torch.nn.TransformerEncoder` makes them of padded batches
when it only infers.

One has a buffer, and beside it the sizes, strides and offsets of its parts, which are always on the
host (aten/src/ATen/NestedTensorImpl.h). The buffer is relabelled, and a view of it is built.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch

Tensor = torch.Tensor

KEY: Final = "NestedTensor"
"""Their dispatch keys begin so."""

METADATA: Final = frozenset({
    "_nested_tensor_size", "_nested_tensor_strides", "_nested_tensor_storage_offsets",
    "is_same_size", "_to_copy",
})  # fmt: skip
"""Operators that look at sizes, or leave the numbers to an operator on the buffer."""

_ALIASES: Final = torch._C.DispatchKeySet(torch._C.DispatchKey.NestedTensorCPU)


def rebuilt(tensor: Tensor, relabel: Callable[[Tensor], Tensor]) -> Tensor:
    """A nested tensor like ``tensor`` over its relabelled buffer."""
    aten = torch.ops.aten
    buffer = relabel(_ask(aten.values, tensor))
    return aten._nested_view_from_buffer.default(  # type: ignore[no-any-return]
        buffer,
        _ask(aten._nested_tensor_size, tensor),
        _ask(aten._nested_tensor_strides, tensor),
        _ask(aten._nested_tensor_storage_offsets, tensor),
    )


def _ask(operator: Any, tensor: Tensor) -> Tensor:
    return operator.default.redispatch(_ALIASES, tensor)  # type: ignore[no-any-return]


def viewing(op: Any) -> Callable[..., Any]:
    """The CPU's kernel on the device's tensor itself."""
    redispatch = op.redispatch

    def kernel(*arguments: Any, **keywords: Any) -> Any:
        return redispatch(_ALIASES, *arguments, **keywords)

    return kernel
