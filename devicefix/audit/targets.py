"""What the targets lack, each with its source."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from devicefix.torch_api import CUDA_LIBRARIES
from devicefix.torch_api.rows import words

SPEAKS_CUDA: Final = frozenset({"rocm"})
"""``torch.cuda``, ``"cuda"`` and ``"nccl"`` mean this accelerator, too
(https://docs.pytorch.org/docs/stable/notes/hip.html)."""
DTYPES: Final = MappingProxyType(
    {"mps": frozenset({"torch.float64", "torch.double", "torch.DoubleTensor"})}
)
"""MPS: "the MPS framework doesn't support float64", as torch itself says."""
OPERATORS: Final = MappingProxyType(
    {
        "mps": frozenset(
            words(
                """
                torch.binomial torch.channel_shuffle torch.geqrf torch.hash_tensor torch.heaviside
                torch.linalg.eig torch.linalg.ldl_factor_ex torch.linalg.ldl_solve
                torch.linalg.lu_solve torch.linalg.matrix_exp torch.mode torch.ormqr torch.poisson
                torch.segment_reduce torch.special.airy_ai torch.special.laguerre_polynomial_l
                torch.special.legendre_polynomial_p torch.special.log_ndtr torch.special.ndtri
                torch.take torch.nn.functional.adaptive_max_pool3d
                torch.nn.functional.fractional_max_pool2d torch.nn.functional.fractional_max_pool3d
                torch.nn.functional.multi_margin_loss
                """
            )
        )
    }
)
"""Public functions with kernels for CUDA and none for the target, in torch's own list of operators
(native_functions.yaml of torch 2.13). Of XPU and NPU that list says nothing."""
MODULES: Final = MappingProxyType(
    {
        "torch.nn.AdaptiveMaxPool3d": "torch.nn.functional.adaptive_max_pool3d",
        "torch.nn.ChannelShuffle": "torch.channel_shuffle",
        "torch.nn.FractionalMaxPool2d": "torch.nn.functional.fractional_max_pool2d",
        "torch.nn.FractionalMaxPool3d": "torch.nn.functional.fractional_max_pool3d",
        "torch.nn.MultiMarginLoss": "torch.nn.functional.multi_margin_loss",
        "torch.nn.functional.channel_shuffle": "torch.channel_shuffle",
    }
)
"""Other names under which they are called."""
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
