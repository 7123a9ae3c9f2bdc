"""Parts of CUDA that are not simulated: profiling ranges do nothing, graphs and IPC say so."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NoReturn

import torch
from torch.storage import UntypedStorage


def install() -> None:
    """Ranges for NVIDIA's profiler are harmless; a graph would have to be captured on a device."""
    nvtx: Any = import_module("torch.cuda.nvtx")
    for name in ("range_push", "range_pop", "range_start", "range_end", "mark"):
        setattr(nvtx, name, _range)
    for name in ("CUDAGraph", "graph", "make_graphed_callables"):
        setattr(torch.cuda, name, _no_graphs)
    UntypedStorage._share_cuda_ = _no_sharing  # type: ignore[method-assign]


def _range(*arguments: Any, **keywords: Any) -> int:
    return 0


def _no_graphs(*arguments: Any, **keywords: Any) -> NoReturn:
    raise NotImplementedError("devicefix does not simulate CUDA graphs")


def _no_sharing(*arguments: Any, **keywords: Any) -> NoReturn:
    """`torch.multiprocessing` comes here for a tensor of the device that another process gets."""
    raise NotImplementedError(
        "devicefix does not simulate device memory that processes share (CUDA IPC): "
        "hand them tensors of the host"
    )
