"""Accelerators that torch's core does not know by name: those that come with a library of their own
and take the place "PrivateUse1" (Ascend's NPU is the best known).

What such a library does in torch's documentation of that place is done here: it gives the place a
name, registers a module of that name in `torch`, lets methods be made (`Tensor.npu`,
`Module.npu`), and registers hooks, of which torch has none before.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import torch
from torch.utils import backend_registration

from devicefix.simulator.devices import Kind
from devicefix.simulator.errors import Refused

PLACE: Final = "PrivateUse1"
"""The dispatch key of such a device, and what its name is made of elsewhere."""

_library: Callable[..., Any] = torch.library.Library

_KEEP: list[Any] = []
"""Libraries, whose kernels go when they are collected."""

_REGISTER: Final = "_ZN2at33RegisterPrivateUse1HooksInterfaceEPNS_25PrivateUse1HooksInterfaceE"


def is_private(kind: Kind) -> bool:
    """Whether devices of ``kind`` take the place."""
    return kind.key == PLACE


def introduce(kind: Kind) -> None:
    """Let torch know ``kind`` by its name: after this `torch.device` takes it. Raises `Refused`."""
    registration: Any = backend_registration
    try:
        registration.rename_privateuse1_backend(kind.name)
    except RuntimeError as error:
        raise Refused(
            f"another library already uses torch's PrivateUse1 backend: {error}"
        ) from error
    core: Any = torch
    core._register_device_module(kind.name, ModuleType(f"torch.{kind.name}"))
    registration.generate_methods_for_privateuse1_backend()
    register_autocast()


def register_autocast() -> None:
    """Let operators pass under `torch.autocast`: which of them it casts for such a device, and to
    what, only the library of the device says.
    """
    library = _library("_", "IMPL")
    if hasattr(library, "fallback"):
        library.fallback(torch.library.fallthrough_kernel, f"Autocast{PLACE}")
    _KEEP.append(library)


def register_hooks(address: int) -> None:
    """Let torch's core ask the object at ``address``. Raises `Refused`."""
    library = Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"
    try:
        register = getattr(ctypes.CDLL(str(library)), _REGISTER)
    except (OSError, AttributeError) as error:
        raise Refused(f"this torch's {library.name} does not export {_REGISTER}") from error
    register.restype, register.argtypes = None, [ctypes.c_void_p]
    register(address)
