"""The hooks: what torch's core asks the backend of an accelerator - is it there, which device, is
cuDNN compiled in.

There is one object for each backend, a stub on wheels that were built without it. It gets a copy of
its table of virtual functions in which some answer for the simulation; all others stay torch's own.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import torch

from devicefix.simulator import privateuse, vtables
from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.errors import Refused
from devicefix.simulator.headers import base_classes, virtual_functions
from devicefix.simulator.machine_code import MachineCode

_FOLDER = "include/ATen/detail"
_BASE = "AcceleratorHooksInterface"
_STUB = "MPSHooksInterface"
"""Every wheel for Linux has its stub: a model for hooks of which there is no object yet."""

_YES = ("isBuilt", "isAvailable", "hasPrimaryContext", "init", "initCUDA", "initXPU", "initMPS",
        "hasCUDA", "hasXPU", "hasMPS")  # fmt: skip
"""`at::accelerator` and the autograd engine believe in the device."""

_NO = ("compiledWithCuDNN", "hasCuDNN", "compiledWithMIOpen", "supportsDilatedConvolutionWithCuDNN",
       "supportsDepthwiseConvolutionWithCuDNN", "isPinnedPtr")  # fmt: skip
"""With cuDNN, recurrent layers and CTC would go to kernels that only exist on a GPU."""

_CURRENT = ("getCurrentDevice", "current_device")
_EXCHANGE = ("exchangeDevice", "maybeExchangeDevice", "setCurrentDevice")


def install(accelerator: Accelerator, code: MachineCode) -> None:
    """Let the backend's hooks answer for the simulation. Raises `Refused`."""
    root = Path(torch.__file__).parent
    functions = dict.fromkeys(_YES, code.constant(1))
    functions |= dict.fromkeys(_NO, code.constant(0))
    functions |= dict.fromkeys(_CURRENT, code.index(accelerator.current))
    functions |= dict.fromkeys(_EXCHANGE, code.exchange_index(accelerator.current))
    functions["getPinnedMemoryAllocator"] = allocator_of_pinned_memory()
    functions["getDeviceFromPtr"] = code.device(accelerator.current, accelerator.kind.c10)
    functions["getGlobalIdxFromDevice"] = code.constant(0)
    if accelerator.name != "cuda":
        _hide_cuda(root, code)
    interface = accelerator.kind.hooks
    slots = _slots(root, interface)
    if privateuse.is_private(accelerator.kind):
        stub = _object(root, _STUB)
        privateuse.register_hooks(vtables.build(stub, slots, functions, code.constant(0)))
        return
    found = vtables.replace(_object(root, interface), slots, functions)
    if f"has{accelerator.kind.key}" not in found:
        raise Refused(f"this torch's {interface} has no has{accelerator.kind.key}")


def _hide_cuda(root: Path, code: MachineCode) -> None:
    """torch refuses to have two accelerators (aten/src/ATen/DeviceAccelerator.cpp), and takes a
    wheel for CUDA for one, GPU or not.
    """
    interface = "CUDAHooksInterface"
    nothing = dict.fromkeys(("hasCUDA", "isBuilt"), code.constant(0))
    vtables.replace(_object(root, interface), _slots(root, interface), nothing)


def _slots(root: Path, interface: str) -> list[str]:
    """The virtual functions of ``interface``, those of its base first; a redeclared one keeps the
    base's slot.
    """
    header = root / _FOLDER / f"{interface}.h"
    added = virtual_functions(header, interface)
    if _BASE not in base_classes(header, interface):
        return added
    base = virtual_functions(root / _FOLDER / f"{_BASE}.h", _BASE)
    return base + [name for name in added if name not in base]


def _object(root: Path, interface: str) -> int:
    """The address of the one object: what ``at::detail::getCUDAHooks()`` and its kin return."""
    function = f"get{interface.removesuffix('Interface')}"
    get = _function(root / "lib" / "libtorch_cpu.so", f"_ZN2at6detail{len(function)}{function}Ev")
    get.restype = ctypes.c_void_p
    address = get()
    assert isinstance(address, int)
    return address


def allocator_of_pinned_memory() -> int:
    """The address of the C++ function that returns the allocator of pinned memory.

    That is the host's memory, but from an allocator that nothing else uses, by which it is known
    again (`devicefix.simulator.pinning`). The function takes no argument, so ``this`` does no harm.
    """
    library = Path(torch.__file__).parent / "lib" / "libc10.so"
    function = _function(library, "_ZN3c1028GetDefaultMobileCPUAllocatorEv")
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def _function(library: Path, symbol: str) -> ctypes._NamedFuncPointer:
    try:
        return getattr(ctypes.CDLL(str(library)), symbol)  # type: ignore[no-any-return]
    except (OSError, AttributeError) as error:
        raise Refused(f"this torch's {library.name} does not export {symbol}") from error
