"""Collectives of `torch.distributed` on tensors of the device: gloo works on their memory.

On a GPU gloo copies through the host itself (ProcessGroupGlooCuda). A wheel without CUDA has the
operators and nothing behind some of them: all_reduce ends the process. NCCL is not simulated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch

from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.relabelling import Relabeller

_NAMESPACE: Final = "c10d"

_KEEP: Final[list[Any]] = []
"""Libraries, whose kernels go when they are collected."""


def install(accelerator: Accelerator, relabeller: Relabeller) -> None:
    """Cover every operator of the namespace that the device has a kernel for."""
    key = accelerator.kind.key
    names = [
        name.removeprefix(f"{_NAMESPACE}::")
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith(f"{_NAMESPACE}::")
        and torch._C._dispatch_has_kernel_for_dispatch_key(name, key)
    ]
    if not names:  # a torch without distributed
        return
    library: Any = torch.library.Library(_NAMESPACE, "IMPL")  # type: ignore[no-untyped-call]
    _KEEP.append(library)
    for name in names:
        library.m.impl(name, key, _kernel(name, accelerator, relabeller))
    # DistributedDataParallel's statistics want the timer of CUDA (csrc/distributed/c10d/logger.cpp)
    core: Any = torch._C
    core._distributed_c10d.Logger.set_runtime_stats_and_log = _nothing


def _nothing(*_: object) -> None:
    """No statistics."""


def _kernel(name: str, accelerator: Accelerator, relabeller: Relabeller) -> Callable[..., Any]:
    """The operator on the host, writing where the tensors of the device lie."""
    base, _, overload = name.partition(".")
    op = getattr(getattr(torch.ops.c10d, base), overload or "default")

    def kernel(*arguments: Any) -> Any:
        originals: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

        def to_host(tensor: torch.Tensor) -> torch.Tensor:
            if tensor.device.type != accelerator.name:
                return tensor
            alias = relabeller.to_host(tensor)
            originals[id(alias)] = (tensor, alias)
            return alias

        def back(tensor: torch.Tensor) -> torch.Tensor:
            return originals.get(id(tensor), (tensor,))[0]

        return _mapped(op(*(_mapped(argument, to_host) for argument in arguments)), back)

    return kernel


def _mapped(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """``value`` with every tensor in it changed; lists of lists included."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(item, change) for item in value)
    return value
