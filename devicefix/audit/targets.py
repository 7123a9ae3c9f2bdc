"""What the targets lack, each with its source."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from devicefix.torch_api import CUDA_LIBRARIES

SPEAKS_CUDA: Final = frozenset({"rocm"})
"""``torch.cuda``, ``"cuda"`` and ``"nccl"`` mean this accelerator, too
(https://docs.pytorch.org/docs/stable/notes/hip.html)."""
DTYPES: Final = MappingProxyType(
    {"mps": frozenset({"torch.float64", "torch.double", "torch.DoubleTensor"})}
)
"""MPS: "the MPS framework doesn't support float64", as torch itself says."""
PACKAGES: Final = CUDA_LIBRARIES | {"apex", "bitsandbytes", "pynvml"}
ELSEWHERE: Final = MappingProxyType(
    {
        "apex": frozenset({"rocm"}),  # https://github.com/ROCm/apex
        # https://huggingface.co/docs/bitsandbytes/main/en/installation
        "bitsandbytes": frozenset({"rocm", "xpu"}),
        "cupy": frozenset({"rocm"}),  # https://docs.cupy.dev/en/stable/install.html
        "flash_attn": frozenset({"rocm"}),  # https://github.com/Dao-AILab/flash-attention
        # https://github.com/triton-lang/triton, https://github.com/intel/intel-xpu-backend-for-triton
        "triton": frozenset({"rocm", "xpu"}),
    }
)
"""Packages that other targets have."""
