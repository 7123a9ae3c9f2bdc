"""Private functions of torch's C++ side that its own Python code and some libraries call.

Wheels without the backend lack them; on the others they would look for a driver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, NoReturn

import torch

from devicefix.simulator.accelerator import Accelerator
from devicefix.simulator.errors import NotSimulated
from devicefix.simulator.runtime import MEMORY, DeviceProperties

_VERSION: Final = "12.6"
"""What `torch.version.cuda` says on a wheel without CUDA."""

_CUDNN: Final = 91002
"""What `torch.backends.cudnn.version` says: the release that goes with CUDA 12.6."""

_CORES: Final = 10
"""Those of a common Mac."""

_MEMORY_DOORS: Final = (
    "_accelerator_emptyCache",
    "_accelerator_emptyHostCache",
    "_accelerator_resetAccumulatedStats",
    "_accelerator_resetPeakStats",
)
"""Nothing is cached, nothing counted."""


def install(accelerator: Accelerator) -> None:
    """Let torch believe in the backend, but give nothing to cuDNN and NCCL."""
    core: Any = torch._C
    for name, function in {**_accelerator(), **_DOORS[accelerator.name](accelerator)}.items():
        setattr(core, name, function)
    if accelerator.name == "cuda":
        _install_cuda()


def _accelerator() -> Mapping[str, Callable[..., Any]]:
    return {
        **dict.fromkeys(_MEMORY_DOORS, _nothing),
        "_accelerator_isAllocatorInitialized": lambda: False,
        "_accelerator_getDeviceStats": lambda device: {},
        "_accelerator_getMemoryInfo": lambda device: (MEMORY, MEMORY),
    }


def _cuda(accelerator: Accelerator) -> Mapping[str, Any]:
    return {
        "_cuda_getDeviceCount": lambda: accelerator.count,
        "_cuda_getDevice": accelerator.current.get,
        "_cuda_setDevice": accelerator.current.set,
        "_cuda_getCurrentRawStream": lambda device: 0,
        "_cuda_synchronize": _nothing,
        "_set_cached_tensors_enabled": _nothing,
        # A name in annotations of torch/_inductor/cudagraph_trees.py, where CUDA is built.
        "_cuda_CUDAAllocator_AllocatorState": object,
    }


def _xpu(accelerator: Accelerator) -> Mapping[str, Callable[..., Any]]:
    return {
        "_xpu_getDeviceCount": lambda: accelerator.count,
        "_xpu_getDevice": accelerator.current.get,
        "_xpu_setDevice": accelerator.current.set,
        "_xpu_getCurrentRawStream": lambda device: 0,
    }


def _mps(accelerator: Accelerator) -> Mapping[str, Any]:
    return {
        "_mps_is_available": lambda: True,
        "_mps_is_on_macos_or_newer": lambda major, minor: True,
        "_mps_is_in_bad_fork": lambda: accelerator.forked,
        "_mps_get_name": lambda: DeviceProperties.name,
        "_mps_get_core_count": lambda: _CORES,
        **dict.fromkeys(("_mps_profilerStartTrace", "_mps_profilerStopTrace"), _nothing),
        **dict.fromkeys(("_mps_compileShader", "_mps_loadMetalllib"), _no_shaders),
        "_mps_loadMetallibFromPath": _no_shaders,
        "_has_mps": True,
    }


_DOORS: Final[Mapping[str, Callable[[Accelerator], Mapping[str, Any]]]] = {
    "cuda": _cuda,
    "xpu": _xpu,
    "mps": _mps,
    "npu": lambda accelerator: {},
}


def _install_cuda() -> None:
    if torch.version.cuda is None:
        torch.version.cuda = _VERSION
    core: Any = torch._C
    core._jit_override_can_fuse_on_gpu(False)  # TorchScript would compile kernels for the driver
    cuda: Any = torch.backends.cuda
    cuda.is_built = lambda: True
    cudnn: Any = torch.backends.cudnn
    cudnn.is_available = lambda: True
    cudnn.version = lambda: _CUDNN
    cudnn.is_acceptable = lambda tensor: False  # else recurrent layers flatten their weights for it
    nccl: Any = import_module("torch.cuda.nccl")
    nccl.is_available = lambda tensors: False  # else data parallelism gives its gradients to it


def _nothing(*arguments: Any) -> None:
    return None


def _no_shaders(*arguments: Any) -> NoReturn:
    raise NotSimulated("Metal shaders")
