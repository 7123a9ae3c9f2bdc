"""What kernels of CUDA do not take although those of the CPU do, and the other way round.

A kernel takes the dtypes that the macro around its body names (``AT_DISPATCH_FLOATING_TYPES_AND2``
and its kin, aten/src/ATen/Dispatch.h); for anything else that macro raises, with a name of its own.
`scripts/cuda_dtypes.py` compares the table with what torch's own tests say of CUDA.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch

from devicefix.simulator.checks import are_apart, tensors_of
from devicefix.simulator.kernels import Kernel

_WIDE: Final = frozenset({torch.float32, torch.float64})
_FLOATING: Final = _WIDE | {torch.float16, torch.bfloat16}
_COMPLEX: Final = frozenset({torch.complex64, torch.complex128})
_INTEGERS: Final = frozenset({torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8})
_NOT_HALF: Final = _WIDE | _COMPLEX | _INTEGERS | {torch.bool, torch.complex32}


@dataclass(frozen=True)
class Body:
    """The body of a CUDA kernel."""

    name: str
    """What its macro calls it."""
    takes: frozenset[torch.dtype]


_PRODUCT: Final = Body("addmm_cuda", _FLOATING | _COMPLEX)
_BATCHES: Final = Body("baddbmm_cuda", _FLOATING | _COMPLEX)

BODIES: Final[Mapping[str, Body]] = {
    # aten/src/ATen/native/cuda/Blas.cpp
    **dict.fromkeys(("mm", "addmm", "addmm_", "addbmm", "addbmm_"), _PRODUCT),
    **dict.fromkeys(("bmm", "baddbmm", "baddbmm_"), _BATCHES),
    **dict.fromkeys(("addmv", "addmv_"), Body("addmv_impl_cuda", _FLOATING | _COMPLEX)),
    "dot": Body("dot", _FLOATING | _COMPLEX),
    "vdot": Body("vdot", _FLOATING | _COMPLEX),
    # DilatedMaxPool2d.cu, DilatedMaxPool3d.cu, AveragePool2d.cu, AveragePool3d.cu in that folder
    "max_pool2d_with_indices": Body("max_pool2d_with_indices_out_cuda_frame", _FLOATING),
    "max_pool3d_with_indices": Body("max_pool3d_with_indices_out_frame", _FLOATING),
    "avg_pool2d": Body("avg_pool2d_out_cuda_frame", _FLOATING),
    "avg_pool3d": Body("avg_pool3d_out_cuda", _FLOATING),
    # UpSampleBilinear2d.cu, UpSampleBicubic2d.cu
    "upsample_bilinear2d": Body("upsample_bilinear2d_out_frame", _FLOATING),
    "upsample_bicubic2d": Body("upsample_bicubic2d_out_frame", _FLOATING),
    # IGammaKernel.cu, AbsKernel.cu and UnaryComplexKernels.cu
    "igamma": Body("igamma_cuda", _WIDE),
    "igammac": Body("igammac_cuda", _WIDE),
    "angle": Body("angle_cuda", _NOT_HALF),
}
"""By the operator's name, without its overload."""

_HALF: Final = frozenset({torch.float16, torch.bfloat16})

_WIDER: Final[Mapping[str, tuple[frozenset[torch.dtype], torch.dtype]]] = {
    **dict.fromkeys(
        (
            "avg_pool3d",
            "avg_pool3d_backward",
            "_upsample_bilinear2d_aa",
            "_upsample_bilinear2d_aa_backward",
            "multi_margin_loss",
            "multi_margin_loss_backward",
            "multilabel_margin_loss_forward",
            "multilabel_margin_loss_backward",
        ),
        (_HALF, torch.float32),
    ),
    "histc": (_INTEGERS, torch.float64),
}
"""By name and overload: dtypes that CUDA alone takes, and in which one it computes."""

_NAMES: Final[Mapping[torch.dtype, str]] = {
    torch.bool: "Bool", torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short",
    torch.int32: "Int", torch.int64: "Long", torch.float16: "Half", torch.bfloat16: "BFloat16",
    torch.float32: "Float", torch.float64: "Double", torch.complex32: "ComplexHalf",
    torch.complex64: "ComplexFloat", torch.complex128: "ComplexDouble",
}  # fmt: skip
"""What C++ calls the dtypes (c10/core/ScalarType.h)."""


def limited(name: str, kernel: Kernel, key: str) -> Kernel:
    """``kernel`` with the limits that the operator ``name`` has on CUDA. Those of other keys, and
    the words for them, are in no wheel that runs here: it has none.
    """
    if name in _WIDER:
        kernel = _computing_wider(kernel, *_WIDER[name])
    if key != "CUDA":
        return kernel
    if name in _DRIVERS:
        kernel = _DRIVERS[name](kernel)
    body = BODIES.get(name.partition(".")[0])
    return kernel if body is None else _of_dtypes(kernel, body)


def _computing_wider(kernel: Kernel, narrow: frozenset[torch.dtype], wide: torch.dtype) -> Kernel:
    """``kernel``, which computes in ``wide`` for what is ``narrow``, and rounds at the end, as the
    kernels of CUDA do (``acc_type``, aten/src/ATen/AccumulateType.h).
    """

    def to_wide(value: Any, dtype: torch.dtype) -> Any:
        is_one = isinstance(value, torch.Tensor) and value.dtype is dtype
        return value.to(wide) if is_one else value

    def back(result: Any, dtype: torch.dtype) -> Any:
        return result.to(dtype) if result.dtype is wide else result

    def computing(first: Any, *arguments: Any, **keywords: Any) -> Any:
        dtype = first.dtype
        if dtype not in narrow:
            return kernel(first, *arguments, **keywords)
        result = kernel(first.to(wide), *(to_wide(value, dtype) for value in arguments), **keywords)
        if isinstance(result, tuple):
            return tuple(back(part, dtype) for part in result)
        return back(result, dtype)

    return computing


def _of_dtypes(kernel: Kernel, body: Body) -> Kernel:
    takes = body.takes

    def checking(first: Any, *arguments: Any, **keywords: Any) -> Any:
        if first.dtype not in takes and _is_due((first, *arguments), keywords):
            name = _NAMES.get(first.dtype, str(first.dtype))
            raise NotImplementedError(f"\"{body.name}\" not implemented for '{name}'")
        return kernel(first, *arguments, **keywords)

    return checking


def _is_due(arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> bool:
    """Whether nothing else comes first: devices and dtypes are compared before, and without
    elements no body runs.
    """
    if are_apart(arguments, keywords):
        return False
    tensors = [*tensors_of(list(arguments))]
    alike = len({tensor.dtype for tensor in tensors}) == 1
    return alike and all(tensor.numel() for tensor in tensors)


def _one_driver(kernel: Kernel) -> Kernel:
    """`torch.linalg.lstsq` (aten/src/ATen/native/BatchLinearAlgebra.cpp)."""

    def checking(*arguments: Any, driver: Any = None, **keywords: Any) -> Any:
        if driver not in (None, "gels"):
            text = "torch.linalg.lstsq: `driver` other than `gels` is not supported on CUDA"
            raise RuntimeError(text)
        return kernel(*arguments, driver=driver, **keywords)

    return checking


def _any_driver(kernel: Kernel) -> Kernel:
    """`torch.linalg.svd`: those of cuSOLVER find what the CPU's only one does."""

    def ignoring(*arguments: Any, driver: Any = None, **keywords: Any) -> Any:
        return kernel(*arguments, **keywords)

    return ignoring


_DRIVERS: Final[Mapping[str, Callable[[Kernel], Kernel]]] = {
    "linalg_lstsq.out": _one_driver,
    "_linalg_svd": _any_driver,
    "_linalg_svd.U": _any_driver,
}
