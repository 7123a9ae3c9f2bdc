"""Extensions with kernels for CUDA: they would be launched on a card that is not there, over memory
of the host, and nothing would say that they did nothing.

They are not built, and those that are there are not run with tensors of the device: functions of
modules in C++ refuse them, operators are those of `devicefix.simulator.foreign`. What calls such
code with a bare address (`Tensor.data_ptr`) is not seen.
"""

from __future__ import annotations

import functools
import struct
import sys
from collections.abc import Callable, Mapping
from importlib.machinery import ExtensionFileLoader
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NoReturn

import torch

from devicefix.simulator.checks import tensors_of
from devicefix.simulator.errors import NotSimulated
from devicefix.simulator.importing import after_import

_BUILDER: Final = "torch.utils.cpp_extension"
_SECTION: Final = b"\0.nv_fatbin\0"
"""Where nvcc puts code for GPUs in a library for Linux."""
_HEADER, _ENTRY = struct.Struct("<4s36xQ10xHHH"), struct.Struct("<24xQQ24x")
"""Of an ELF file with 64 bits: its kind, and where its sections are; of a section: where it is."""


def install() -> None:
    """Let nothing be compiled for CUDA."""
    after_import(_BUILDER, lambda: _refuse_to_build(sys.modules[_BUILDER]))
    core: Any = torch._C
    cuda: Any = torch.cuda
    core._cuda_jiterator_compile_and_launch_kernel = _compiling("torch.cuda.jiterator")
    cuda._compile_kernel = _compiling("torch.cuda._compile_kernel")


def _compiling(name: str) -> Callable[..., NoReturn]:
    def compile_kernel(*arguments: Any, **keywords: Any) -> NoReturn:
        _refuse(name)

    return compile_kernel


def _refuse_to_build(builder: Any) -> None:
    """Before a compiler is looked for, and before what was built earlier is loaded."""
    for name in ("load", "load_inline"):
        setattr(builder, name, _building(f"{_BUILDER}.{name}", getattr(builder, name)))


def _building(name: str, native: Callable[..., Any]) -> Callable[..., Any]:
    parameters = signature(native)

    @functools.wraps(native)
    def build(*arguments: Any, **keywords: Any) -> Any:
        if _is_for_cuda(parameters.bind_partial(*arguments, **keywords).arguments):
            _refuse(name)
        return native(*arguments, **keywords)

    return build


def _is_for_cuda(named: Mapping[str, Any]) -> bool:
    sources = named.get("sources", ())
    paths = [sources] if isinstance(sources, str) else sources
    return bool(
        named.get("with_cuda")
        or named.get("cuda_sources")
        or any(Path(path).suffix in (".cu", ".cuh") for path in paths)
    )


def _refuse(name: str) -> NoReturn:
    """Say that what ``name`` compiles or runs needs a card."""
    raise NotSimulated(f"code that is compiled for CUDA ({name}), which needs a real GPU")


def watch(loaded: Callable[[], None]) -> None:
    """Guard the functions of every extension module with code for GPUs that is imported from now
    on, and call ``loaded`` after it: it may have brought operators.
    """
    native = ExtensionFileLoader.exec_module

    def exec_module(self: ExtensionFileLoader, module: ModuleType) -> None:
        native(self, module)
        if has_gpu_code(Path(self.path)):
            _guard(module)
            loaded()

    ExtensionFileLoader.exec_module = exec_module  # type: ignore[method-assign]


def has_gpu_code(path: Path) -> bool:
    """Whether a library holds code that nvcc has compiled."""
    try:
        with path.open("rb") as file:
            start = file.read(_HEADER.size)
            if len(start) < _HEADER.size or start[:5] != b"\x7fELF\x02":
                return False
            _, sections, size, _, names = _HEADER.unpack(start)
            file.seek(sections + names * size)
            at, length = _ENTRY.unpack(file.read(_ENTRY.size))
            file.seek(at)
            return _SECTION in file.read(length)
    except (OSError, struct.error):
        return False


def _guard(module: ModuleType) -> None:
    for name, value in list(vars(module).items()):
        if callable(value) and not isinstance(value, type):
            setattr(module, name, _guarded(f"{module.__name__}.{name}", value))


def _guarded(name: str, native: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(native)
    def call(*arguments: Any, **keywords: Any) -> Any:
        tensors = tensors_of([*arguments, *keywords.values()])
        if any(tensor.get_device() >= 0 for tensor in tensors):
            _refuse(name)
        return native(*arguments, **keywords)

    return call
