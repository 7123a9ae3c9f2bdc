"""What only `torch.cuda` has: private doors of torch's C++ side, versions, cuDNN and NCCL."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import torch

from devicefix.simulator.accelerator import Accelerator

_VERSION = "12.6"
"""What `torch.version.cuda` says on a wheel without CUDA."""


def install(accelerator: Accelerator) -> None:
    """Let torch's own Python code believe that there is CUDA, but neither cuDNN nor NCCL."""
    core: Any = torch._C
    core._cuda_getDeviceCount = lambda: accelerator.count
    core._cuda_getDevice = accelerator.current.get
    core._cuda_setDevice = accelerator.current.set
    core._cuda_getCurrentRawStream = lambda device: 0
    core._cuda_synchronize = lambda: None
    if torch.version.cuda is None:
        torch.version.cuda = _VERSION
    torch.backends.cudnn.is_acceptable = lambda tensor: (
        False
    )  # else recurrent layers flatten their weights for it
    nccl: Any = import_module("torch.cuda.nccl")
    nccl.is_available = lambda tensors: False
