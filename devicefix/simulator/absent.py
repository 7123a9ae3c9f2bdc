"""What is not simulated: profiling ranges do nothing, graphs, IPC and inductor say so."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NoReturn

import torch
from torch.storage import UntypedStorage
from torch.utils import _pytree as pytree

from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.errors import NotSimulated


def install(accelerator: Accelerator) -> None:
    """Inductor writes kernels for a GPU; graphs would have to be captured on one."""
    _install_inductor(accelerator)
    if accelerator.name == "cuda":
        _install_cuda()


def _install_inductor(accelerator: Accelerator) -> None:
    """What it is given on the host it compiles as ever."""
    inductor: Any = torch._TorchCompileInductorWrapper
    native = inductor.__call__

    def compile_graph(self: Any, graph: Any, inputs: Any, **keywords: Any) -> Any:
        if _touches(graph, inputs, accelerator.name):
            raise NotSimulated(
                "torch.compile with inductor on a device: its kernels are compiled for a GPU. "
                "backend='aot_eager' runs the same graph without them"
            )
        return native(self, graph, inputs, **keywords)

    inductor.__call__ = compile_graph


def _touches(graph: Any, inputs: Any, device: str) -> bool:
    """Whether a tensor of the device goes in, or is made on the way."""
    made = [node.meta.get("example_value") for node in graph.graph.nodes]
    tensors = pytree.tree_leaves([inputs, made, [*graph.parameters()], [*graph.buffers()]])
    return any(leaf.device.type == device for leaf in tensors if isinstance(leaf, torch.Tensor))


def _install_cuda() -> None:
    """Ranges for NVIDIA's profiler are harmless."""
    nvtx: Any = import_module("torch.cuda.nvtx")
    for name in ("range_push", "range_pop", "range_start", "range_end", "mark"):
        setattr(nvtx, name, _range)
    for name in ("CUDAGraph", "graph", "make_graphed_callables"):
        setattr(torch.cuda, name, _no_graphs)
    UntypedStorage._share_cuda_ = _no_sharing  # type: ignore[method-assign]


def _range(*arguments: Any, **keywords: Any) -> int:
    return 0


def _no_graphs(*arguments: Any, **keywords: Any) -> NoReturn:
    raise NotSimulated("CUDA graphs")


def _no_sharing(*arguments: Any, **keywords: Any) -> NoReturn:
    """`torch.multiprocessing` comes here for a tensor of the device that another process gets."""
    raise NotSimulated("device memory that processes share (CUDA IPC): send CPU tensors instead")
