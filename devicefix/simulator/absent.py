"""Parts of `torch.cuda` that are not simulated: profiling ranges do nothing, CUDA graphs say so."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NoReturn

import torch


def install() -> None:
    """Ranges for NVIDIA's profiler are harmless; a graph would have to be captured on a device."""
    nvtx: Any = import_module("torch.cuda.nvtx")
    for name in ("range_push", "range_pop", "range_start", "range_end", "mark"):
        setattr(nvtx, name, _range)
    for name in ("CUDAGraph", "graph", "make_graphed_callables"):
        setattr(torch.cuda, name, _no_graphs)


def _range(*arguments: Any, **keywords: Any) -> int:
    return 0


def _no_graphs(*arguments: Any, **keywords: Any) -> NoReturn:
    raise NotImplementedError("devicefix does not simulate CUDA graphs")
