"""The device guard: what torch's C++ asks for the current device, streams and events of a backend.

Backward, `Tensor.to` and everything that runs on several devices go through
`c10::impl::device_guard_impl_registry`. A guard of our own is put there: an object whose virtual
functions are a few instructions each. On a CUDA wheel it replaces the real one, which would look
for a driver.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path

import torch

from devicefix.simulator import vtables
from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.errors import Refused
from devicefix.simulator.headers import virtual_functions
from devicefix.simulator.machine_code import MachineCode

_ROOT = Path(torch.__file__).parent
_REGISTRY = "_ZN3c104impl26device_guard_impl_registryE"
_HEADER = "include/c10/core/impl/DeviceGuardImplInterface.h"
_CPU = 0
"""The CPU's place in the registry; its guard is always there
(c10/core/impl/DeviceGuardImplInterface.cpp).
"""
_PLACES = 21
"""So many device types there are (``COMPILE_TIME_MAX_DEVICE_TYPES``, c10/core/DeviceType.h)."""


def install(accelerator: Accelerator, code: MachineCode) -> None:
    """Register the guard. Raises `Refused` if this torch's registry or interface is another."""
    address, slots = model()
    if missing := _NEEDED - set(slots):
        raise Refused(f"this torch's device guard has no {', '.join(sorted(missing))}")
    functions = _functions(accelerator, code)
    guard = vtables.build(address, slots, functions, code.constant(0))
    _registry()[accelerator.kind.c10] = guard


def model() -> tuple[int, list[str]]:
    """The address of the CPU's guard, and the names of its virtual functions. Raises `Refused`."""
    address = _registry()[_CPU]
    if not address:
        raise Refused("this torch has no device guard for the CPU")
    return address, virtual_functions(_ROOT / _HEADER, "DeviceGuardImplInterface")


_NEEDED = frozenset(
    {"type", "exchangeDevice", "getDevice", "setDevice", "getStream", "deviceCount"}
)


def _functions(accelerator: Accelerator, code: MachineCode) -> Mapping[str, int]:
    kind, current = accelerator.kind.c10, accelerator.current
    exchange = code.exchange_device(current, kind)
    stream = code.default_stream()
    yes = code.constant(1)
    return {
        "type": code.constant(kind),
        "exchangeDevice": exchange,
        "getDevice": code.device(current, kind),
        "setDevice": exchange,
        "uncheckedSetDevice": exchange,
        "getStream": stream,
        "getDefaultStream": stream,
        "getStreamFromGlobalPool": stream,
        "getNewStream": stream,
        "exchangeStream": stream,
        "deviceCount": code.constant(accelerator.count),
        "queryEvent": yes,
        "queryStream": yes,
    }


def _registry() -> ctypes.Array[ctypes.c_void_p]:
    try:
        library = ctypes.CDLL(str(_ROOT / "lib" / "libc10.so"))
        return (ctypes.c_void_p * _PLACES).in_dll(library, _REGISTRY)
    except (OSError, ValueError) as error:
        raise Refused(
            f"this torch's registry of device guards is not where it was: {error}"
        ) from error
