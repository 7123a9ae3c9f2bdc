"""Which accelerator is simulated, and what the kinds are called in torch's different layers."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True)
class Kind:
    """One kind of accelerator."""

    name: str
    """What `torch.device` calls it."""
    c10: int
    """Its number in `c10::DeviceType` (c10/core/DeviceType.h): the index of its device guard."""
    dlpack: int
    """Its number in `DLDeviceType` (dlpack.h): what a relabelled tensor says it lives on."""
    key: str
    """The dispatch key of its dense kernels."""
    hooks: str
    """The class of the interface by which torch's core asks the backend (ATen/detail/HOOKS.h)."""


KINDS: Final = MappingProxyType(
    {
        "cuda": Kind("cuda", 1, 2, "CUDA", "CUDAHooksInterface"),
        "xpu": Kind("xpu", 12, 14, "XPU", "XPUHooksInterface"),
        "mps": Kind("mps", 13, 8, "MPS", "MPSHooksInterface"),
        "npu": Kind("npu", 20, 12, "PrivateUse1", "PrivateUse1HooksInterface"),
    }
)

_PREFIX: Final = "sim:"
_MOST: Final = 16
"""The most devices; what tests of data parallelism use at the outside."""


@dataclass(frozen=True)
class Simulated:
    """An accelerator to simulate: its kind, and how many devices of it there are."""

    kind: Kind
    count: int = 1

    def __str__(self) -> str:
        number = f":{self.count}" if self.count > 1 else ""
        return f"{_PREFIX}{self.kind.name}{number}"


def parse(text: str) -> Simulated:
    """Read ``sim:cuda``, ``sim:cuda:2`` (two devices), ``sim:mps``, ``sim:xpu`` or ``sim:npu``.

    Raises `ValueError` with a sentence for people.
    """
    name, _, number = text.removeprefix(_PREFIX).partition(":")
    kind = KINDS.get(name)
    if not text.startswith(_PREFIX) or kind is None:
        choices = ", ".join(f"{_PREFIX}{known}" for known in KINDS)
        raise ValueError(f"unknown simulated device {text!r}; choose from {choices}")
    if not number:
        return Simulated(kind)
    if not (number.isdecimal() and 1 <= int(number) <= _MOST):
        raise ValueError(f"{text!r}: the number of devices is 1 to {_MOST}")
    if kind.name == "mps" and int(number) > 1:
        raise ValueError(f"{text!r}: there is only one mps device")
    return Simulated(kind, int(number))
