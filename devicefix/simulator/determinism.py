"""What CUDA says under `torch.use_deterministic_algorithms`.

What an operator calls itself stands where its kernel calls ``alertNotDeterministic``
(aten/src/ATen/native/cuda), and in test/test_torch.py, ``test_nondeterministic_alert_*``. The
documentation names operators for longer than the kernels do: which release has which alert was read
in the wheels for CUDA (``libtorch_cuda.so`` holds the names).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final

import torch

from devicefix.simulator.kernels import Kernel
from devicefix.simulator.messages import release

_Condition = Callable[..., bool]


def _always(*arguments: Any, **keywords: Any) -> bool:
    return True


def _weighted(counted: Any, weights: Any = None, *others: Any) -> bool:
    return weights is not None


def _rounds(summed: Any, *others: Any, **keywords: Any) -> bool:
    dtype: torch.dtype = keywords.get("dtype") or summed.dtype
    return dtype.is_floating_point or dtype.is_complex


def _of_maxima(*arguments: Any, **keywords: Any) -> bool:
    """``mode`` of ``_embedding_bag_dense_backward``: 2 is "max"."""
    return bool(arguments[7] == 2)


_CALLERS: Final[Mapping[str, tuple[str, _Condition]]] = {
    "avg_pool3d_backward": ("avg_pool3d_backward_cuda", _always),
    "_adaptive_avg_pool2d_backward": ("adaptive_avg_pool2d_backward_cuda", _always),
    "_adaptive_avg_pool3d_backward": ("adaptive_avg_pool3d_backward_cuda", _always),
    "adaptive_max_pool2d_backward": ("adaptive_max_pool2d_backward_cuda", _always),
    "fractional_max_pool2d_backward": ("fractional_max_pool2d_backward_cuda", _always),
    "fractional_max_pool3d_backward": ("fractional_max_pool3d_backward_cuda", _always),
    "max_unpool2d": ("max_unpooling2d_forward_out", _always),
    "max_unpool3d": ("max_unpooling3d_forward_out", _always),
    "upsample_linear1d_backward": ("upsample_linear1d_backward_out_cuda", _always),
    "upsample_bilinear2d_backward": ("upsample_bilinear2d_backward_out_cuda", _always),
    "upsample_bicubic2d_backward": ("upsample_bicubic2d_backward_out_cuda", _always),
    "upsample_trilinear3d_backward": ("upsample_trilinear3d_backward_out_cuda", _always),
    "reflection_pad1d_backward": ("reflection_pad1d_backward_out_cuda", _always),
    "reflection_pad2d_backward": ("reflection_pad2d_backward_cuda", _always),
    "reflection_pad3d_backward": ("reflection_pad3d_backward_out_cuda", _always),
    "replication_pad1d_backward": ("replication_pad1d_backward_cuda", _always),
    "replication_pad2d_backward": ("replication_pad2d_backward_cuda", _always),
    "replication_pad3d_backward": ("replication_pad3d_backward_cuda", _always),
    "nll_loss2d_forward": ("nll_loss2d_forward_out_cuda_template", _always),
    "_ctc_loss_backward": ("ctc_loss_backward_gpu", _always),
    "_embedding_bag_dense_backward": ("embedding_bag_backward_cuda_max", _of_maxima),
    "put_": ("put_", _always),
    "histc": ("_histc_cuda with floating point input", _rounds),
    "bincount": ("_bincount_cuda", _weighted),
    "median.dim": ("median CUDA with indices output", _always),
    "nanmedian.dim": ("median CUDA with indices output", _always),
    "median.dim_values": ("median CUDA with indices output", _always),
    "kthvalue": ("kthvalue CUDA", _always),
    "kthvalue.values": ("kthvalue CUDA", _always),
    "grid_sampler_2d_backward": ("grid_sampler_2d_backward_cuda", _always),
    "grid_sampler_3d_backward": ("grid_sampler_3d_backward_cuda", _always),
    "cumsum": ("cumsum_cuda_kernel", _rounds),
    "cumsum.out": ("cumsum_cuda_kernel", _rounds),
    "cumsum_": ("cumsum_cuda_kernel", _rounds),
}
"""By name and overload: what the kernel calls itself, and when it says so."""

_NEVER: Final = (sys.maxsize, 0)
_ORDERED_SINCE: Final[Mapping[str, tuple[int, int]]] = {
    **dict.fromkeys(("cumsum", "cumsum.out", "cumsum_"), (2, 6)),
    "reflection_pad2d_backward": (2, 7),
    **dict.fromkeys(("kthvalue", "kthvalue.values"), (2, 10)),
}
"""The first release in which the kernel has an order, and raises no alert: pytorch/pytorch#136224
for `cumsum`, #136241 for borders, #165762 for `kthvalue`. A card with 2.11 raised none for the
first two.
"""


def alerting(name: str, kernel: Kernel) -> Kernel:
    """``kernel``, which raises or warns as that of CUDA does, if it does."""
    if name not in _CALLERS or release() >= _ORDERED_SINCE.get(name, _NEVER):
        return kernel
    caller, due = _CALLERS[name]

    def checking(*arguments: Any, **keywords: Any) -> Any:
        if torch.are_deterministic_algorithms_enabled() and due(*arguments, **keywords):
            _alert(caller)
        return kernel(*arguments, **keywords)

    return checking


def _alert(caller: str) -> None:
    """``Context::alertNotDeterministic`` (aten/src/ATen/Context.cpp)."""
    said = f"{caller} does not have a deterministic implementation, but you set "
    please = (
        "file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding "
        "deterministic support for this operation."
    )
    if torch.is_deterministic_algorithms_warn_only_enabled():
        option = "'torch.use_deterministic_algorithms(True, warn_only=True)'. "
        warnings.warn(f"{said}{option}You can {please}", UserWarning, stacklevel=3)
        return
    raise RuntimeError(
        f"{said}'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for "
        "this operation, or you can use the 'warn_only=True' option, if that's acceptable for your "
        f"application. You can also {please}"
    )
