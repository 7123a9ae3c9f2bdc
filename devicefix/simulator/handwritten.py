"""Kernels that cannot be the CPU's on aliases: copies, sizes, storages, and what only a GPU is
asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from devicefix.simulator.checks import check_of
from devicefix.simulator.kernels import Kernel, Workshop, computing
from devicefix.simulator.signatures import Op
from devicefix.simulator.watching import POST

Tensor = torch.Tensor
_HOST = torch.device("cpu")
_aten = torch.ops.aten
_ALIASES = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)


def copying(op: Op, shop: Workshop) -> Kernel:
    """``copy_``: between any two devices."""
    to_host = shop.relabel.to_host

    def kernel(destination: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
        if destination is source:
            return destination
        here = to_host(destination) if destination.get_device() >= 0 else destination
        there = to_host(source) if source.get_device() >= 0 else source
        op._op(here, there)
        if POST.watcher is not None and source.device != destination.device:
            POST.watcher.crossed(source, destination)
        return destination

    return kernel


def duplicating(op: Op, shop: Workshop) -> Kernel:
    """``clone`` and ``_to_copy``: what torch puts together from ``empty`` and ``copy_``, at once.

    The copy may be on another device, or on the host; there one that need not be waited for is in
    pinned memory (``_to_copy``, aten/src/ATen/native/TensorConversions.cpp).
    """
    run, relabel, accelerator = op._op, shop.relabel, shop.accelerator

    def kernel(tensor: Tensor, *, device: Any = None, **keywords: Any) -> Tensor:
        if device is None:
            return relabel.to_device(run(relabel.to_host(tensor), **keywords), tensor.get_device())
        copy: Tensor = run(relabel.to_host(tensor), device=_HOST, **keywords)
        if device.type != _HOST.type:
            copy = relabel.to_device(copy, accelerator.index(device))
        elif keywords.get("non_blocking") and copy.layout is torch.strided:
            copy = _pinned(copy)
        if POST.watcher is not None and copy.device != tensor.device:
            POST.watcher.crossed(tensor, copy)
        return copy

    return kernel


def reading(op: Op, shop: Workshop) -> Kernel:
    """``_local_scalar_dense``: what ``.item()`` comes to."""
    to_host = shop.relabel.to_host

    def kernel(tensor: Tensor) -> Any:
        if POST.watcher is not None:
            POST.watcher.read(tensor, "item")
        return op._op(to_host(tensor))

    return kernel


def resizing(op: Op, shop: Workshop) -> Kernel:
    """``resize_``: the host's allocator made the memory, so it makes it larger, too."""

    def kernel(tensor: Tensor, size: Sequence[int], *, memory_format: Any = None) -> Tensor:
        with _uninitialised():
            op.redispatch(_ALIASES, tensor, size, memory_format=memory_format)
        shop.relabel.settle(tensor)
        return tensor

    return kernel


@contextmanager
def _uninitialised() -> Iterator[None]:
    """Under deterministic algorithms torch fills new memory, by views that ask the storage where
    it is; the host's allocator has just made that say "host".
    """
    fills = torch._C._get_deterministic_fill_uninitialized_memory()
    torch._C._set_deterministic_fill_uninitialized_memory(False)
    try:
        yield
    finally:
        torch._C._set_deterministic_fill_uninitialized_memory(fills)


def _set_storage(
    tensor: Tensor, storage: Any, offset: Any, size: Sequence[int], stride: Sequence[Any]
) -> Tensor:
    set_ = _aten.set_.source_Storage_storage_offset
    set_.redispatch(_ALIASES, tensor, storage, offset, list(size), list(stride))
    return tensor


def emptying(op: Op, shop: Workshop) -> Kernel:
    """``set_()``: an empty storage of the same device."""

    def kernel(tensor: Tensor) -> Tensor:
        empty = _aten.empty.memory_format([0], dtype=tensor.dtype, device=tensor.device)
        return _set_storage(tensor, empty.untyped_storage(), 0, [0], [1])

    return kernel


def comparing_storages(op: Op, shop: Workshop) -> Kernel:
    """``is_set_to``: aliases have storages of their own, so the tensors themselves are compared."""

    def kernel(tensor: Tensor, other: Tensor) -> Any:
        return op.redispatch(_ALIASES, tensor, other)

    return kernel


def ignoring(op: Op, shop: Workshop) -> Kernel:
    """``record_stream``: there is one stream, and memory is not reused under it."""

    def kernel(*arguments: Any, **keywords: Any) -> None:
        return None

    return kernel


def denying(op: Op, shop: Workshop) -> Kernel:
    """ "May cuDNN do it?" No."""

    def kernel(*arguments: Any, **keywords: Any) -> bool:
        return False

    return kernel


def plain_attention(op: Op, shop: Workshop) -> Kernel:
    """``_fused_sdp_choice``: the composed form, 0 in ``sdp::SDPBackend``."""

    def kernel(*arguments: Any, **keywords: Any) -> int:
        return 0

    return kernel


def pinning(op: Op, shop: Workshop) -> Kernel:
    """``_pin_memory``: older torch calls the device's kernel with the host's tensor
    (``_pin_memory_cuda``, aten/src/ATen/native/cuda/Pin.cpp).
    """

    def kernel(tensor: Tensor, device: Any = None) -> Tensor:
        if tensor.device.type != "cpu":
            text = f"cannot pin '{tensor.type()}' only dense CPU tensors can be pinned"
            raise RuntimeError(text)
        return _pinned(tensor)

    return kernel


def _pinned(tensor: Tensor) -> Tensor:
    """A copy in pinned memory."""
    copy = torch.empty_strided(
        tensor.size(), tensor.stride(), dtype=tensor.dtype, device="cpu", pin_memory=True
    )
    return copy.copy_(tensor)


def casting(op: Op, shop: Workshop) -> Kernel:
    """``_softmax`` with ``half_to_float``: float32 from half precision, as autocast wants it
    (aten/src/ATen/native/SoftMax.cpp). The CPU has no such kernel.
    """
    compute = computing(op, check_of(op, None, shop.accelerator.kind.key), shop)

    def kernel(tensor: Tensor, dim: int, half_to_float: bool) -> Any:
        return compute(tensor.float() if half_to_float else tensor, dim, False)

    return kernel


def casting_back(op: Op, shop: Workshop) -> Kernel:
    """``_softmax_backward_data``: the gradient in the precision that the input had."""
    compute = computing(op, check_of(op, None, shop.accelerator.kind.key), shop)

    def kernel(grad: Tensor, output: Tensor, dim: int, input_dtype: torch.dtype) -> Any:
        return compute(grad, output, dim, grad.dtype).to(input_dtype)

    return kernel


HANDWRITTEN: Mapping[str, Any] = {
    "copy_": copying,
    "clone": duplicating,
    "_to_copy": duplicating,
    "_local_scalar_dense": reading,
    "resize_": resizing,
    "set_": emptying,
    "is_set_to": comparing_storages,
    "record_stream": ignoring,
    "_fused_sdp_choice": plain_attention,
    "_pin_memory": pinning,
    "is_pinned": denying,
    **dict.fromkeys(("_softmax", "_log_softmax"), casting),
    **dict.fromkeys(("_softmax_backward_data", "_log_softmax_backward_data"), casting_back),
    **dict.fromkeys(("_use_cudnn_ctc_loss", "_use_cudnn_ctc_loss.Tensor", "_use_miopen_ctc_loss",
                     "_use_miopen_ctc_loss.Tensor", "_use_cudnn_rnn_flatten_weight"), denying),
}  # fmt: skip
"""The operators by name and overload."""
