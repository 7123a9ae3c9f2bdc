"""Which kernel a convolution goes to on a machine with cuDNN.

torch itself is asked (``select_conv_backend``, aten/src/ATen/native/Convolution.cpp). To it the
simulated device is one of CUDA without cuDNN: what that would take is worked out here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import torch

Tensor = torch.Tensor

UNTYPED: Final[Mapping[str, str]] = {
    "CudaDepthwise2d": "_conv_depthwise2d",
    "CudaDepthwise3d": "conv_depthwise3d",
    "Slow2d": "_slow_conv2d_forward",
    "Slow3d": "slow_conv3d_forward",
    "SlowDilated2d": "slow_conv_dilated2d",
    "SlowDilated3d": "slow_conv_dilated3d",
    "SlowTranspose2d": "slow_conv_transpose2d",
    "SlowTranspose3d": "slow_conv_transpose3d",
}
"""The operator of each kernel before which no types are compared."""

_MANY: Final = 32
"""Channels from which on cuDNN may take depthwise convolutions in half precision."""


def backend_of(named: Mapping[str, Any]) -> str:
    """The name that ``ConvBackend`` has for the kernel of a call with the arguments ``named``."""
    select: Any = torch._C._select_conv_backend
    data, weight, bias = named["input"], named["weight"], named["bias"]
    numbers = [list(named[name]) for name in ("stride", "padding", "dilation")]
    padding = list(named["output_padding"])
    chosen = select(data, weight, bias, *numbers, named["transposed"], padding, named["groups"])
    name: str = chosen.name
    if not data.is_cuda or name not in UNTYPED or not torch.backends.cudnn.enabled:
        return name
    if name.startswith("CudaDepthwise"):
        return "Cudnn" if _is_depthwise_of_cudnn(data, weight) else name
    if any(out >= step for out, step in zip(padding, named["stride"], strict=False)):
        return name
    return "CudnnTranspose" if named["transposed"] else "Cudnn"


def _is_depthwise_of_cudnn(data: Tensor, weight: Tensor) -> bool:
    """``use_cudnn_depthwise``: always with the channels last. For many channels in half precision
    it depends on sizes and on the release of cuDNN: it is assumed.
    """
    memory = torch.channels_last if data.dim() == 4 else torch.channels_last_3d
    if any(
        tensor.is_contiguous(memory_format=memory) and not tensor.is_contiguous()
        for tensor in (data, weight)
    ):
        return True
    return data.dtype is torch.float16 and data.dim() == 4 and data.shape[1] >= _MANY
