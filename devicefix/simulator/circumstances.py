"""What the simulator needs of a machine and of its torch; the rest the self-test finds out."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator

import torch

from devicefix.simulator.devices import Kind
from devicefix.simulator.errors import Refused
from devicefix.simulator.messages import release

OLDEST = (2, 4)
"""The oldest torch that the self-test passes on; 2.1 crashes."""


def require(kind: Kind) -> None:
    """Raises `Refused`, with what to do, where an accelerator of ``kind`` cannot be simulated."""
    for obstacle in _obstacles(kind):
        raise Refused(obstacle)


def _obstacles(kind: Kind) -> Iterator[str]:
    what, version = f"{kind.name} can be simulated", torch.__version__
    machine = platform.machine()
    if sys.platform != "linux" or machine not in ("x86_64", "AMD64"):
        yield f"{what} on Linux with x86-64 only; this is {sys.platform} on {machine}"
    if sys.implementation.name != "cpython":
        yield f"{what} in CPython only; this is {sys.implementation.name}"
    if release() < OLDEST:
        oldest = f"{OLDEST[0]}.{OLDEST[1]}"
        yield f"{what} only with torch {oldest} or later; this is torch {version}: update it"
    if torch.version.hip is not None and kind.name == "cuda":
        yield f"{what} with the default or the CPU build of torch; {version} is built for ROCm"
    if _is_there(kind):
        hide = _HIDING.get(kind.name, "")
        yield f"this machine has a {kind.name} device: use it, or hide it{hide}"


_HIDING = {
    "cuda": ' with CUDA_VISIBLE_DEVICES=""',
    "xpu": " with ONEAPI_DEVICE_SELECTOR=opencl:cpu",
}
"""How torch is made to see no device of a kind."""


def _is_there(kind: Kind) -> bool:
    """Asked before anything is simulated."""
    module = torch.backends.mps if kind.name == "mps" else getattr(torch, kind.name, None)
    if module is None:
        return False
    answer = bool(module.is_available())
    forget = getattr(module.is_available, "cache_clear", None)
    if forget is not None:  # torch.backends.mps remembers what it answered
        forget()
    return answer
