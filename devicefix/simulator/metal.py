"""What Apple's MPS lacks or says otherwise than CUDA does.

Which operators have kernels there is read in torch's own list (native_functions.yaml names MPS
beside CUDA). The rest stands in its sources for MPS, which are in no wheel for Linux: each claim
names its file.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

import torch

from devicefix.simulator.catalogue import Entry
from devicefix.simulator.messages import Operand, refuse, release
from devicefix.simulator.signatures import Op, find

if TYPE_CHECKING:
    from devicefix.simulator.kernels import Workshop

Tensor = torch.Tensor
Kernel = Callable[..., Any]

KEY: Final = "MPS"
_ALIASES: Final = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
_COMPOSED: Final = frozenset({"CompositeExplicitAutograd", "CompositeImplicitAutograd"})
_SINCE: Final = (2, 9)
"""Older releases let more operators fall back than `_FALL_BACK` names."""

_FALL_BACK: Final[Mapping[str, str]] = {
    "embedding_renorm_": "embedding_renorm_",
    "_linalg_svd": "linalg_svd",
    "_linalg_svd.U": "linalg_svd.U",
    "col2im": "col2im",
    "upsample_nearest3d": "upsample_nearest3d.vec",
}
"""Operators that run on the CPU instead, with a warning (aten/src/ATen/mps/MPSFallback.mm), and
under which name; some are made of others, which torch's list has.
"""

_VARIABLE: Final = "PYTORCH_ENABLE_MPS_FALLBACK"


def lacks(name: str, entry: Entry | None) -> bool:
    """Whether MPS has no kernel for an operator for which CUDA has one."""
    if release() < _SINCE or entry is None or "CUDA" not in entry.keys:
        return False
    return KEY not in entry.keys and not _COMPOSED & entry.keys


def lacking(name: str, entry: Entry, on_host: Kernel) -> Kernel:
    """The kernel of an operator that MPS lacks: ``on_host`` with a warning where torch goes to the
    CPU, else torch's error.
    """
    # A structured operator is put together of the variant that writes into an output.
    told = entry.delegate or name
    warned: list[str] = []

    def falling_back(*arguments: Any, **keywords: Any) -> Any:
        if not warned:
            warned.append(name)
            warnings.warn(
                f"The operator 'aten::{_FALL_BACK.get(name, told)}' is not currently supported on "
                "the MPS backend and will fall back to run on the CPU. This may have performance "
                "implications.",
                UserWarning,
                stacklevel=2,
            )
        return on_host(*arguments, **keywords)

    def refusing(*arguments: Any, **keywords: Any) -> NoReturn:
        raise NotImplementedError(
            f"The operator 'aten::{told}' is not currently implemented for the MPS device. If you "
            "want this op to be considered for addition please comment on "
            "https://github.com/pytorch/pytorch/issues/141287 and mention use-case, that resulted "
            f"in missing op as well as commit hash {torch.version.git_version}. As a temporary "
            f"fix, you can set the environment variable `{_VARIABLE}=1` to use the CPU as a "
            "fallback for this op. WARNING: this will be slower than running natively on MPS."
        )

    return falling_back if name in _FALL_BACK or _is_asked_for() else refusing


def _is_asked_for() -> bool:
    """Read once, as torch does it when it is loaded."""
    value = os.environ.get(_VARIABLE, "")
    return value.isdecimal() and int(value) != 0


REFUSES_STRIDES: Final = release() < (2, 8)
"""Up to torch 2.7 the kernel that makes views asserts that it has no tensor of MPS
(``as_strided_tensorimpl``, aten/src/ATen/native/TensorShape.cpp).
"""


def striding(shop: Workshop) -> Kernel:
    """``as_strided`` in its place: a new tensor over the same storage."""
    set_: Any = torch.ops.aten.set_.source_Storage_storage_offset

    def kernel(tensor: Tensor, size: Any, stride: Any, offset: int | None = None) -> Tensor:
        begin = tensor.storage_offset() if offset is None else offset
        view = shop.relabel.to_device(torch.empty(0, dtype=tensor.dtype, device="cpu"), 0)
        set_.redispatch(_ALIASES, view, tensor.untyped_storage(), begin, size, stride)
        return view

    return kernel


def register_linear(library: Any) -> None:
    """``linear`` is one kernel, which checks each argument
    (aten/src/ATen/native/mps/operations/Linear.mm); elsewhere it is composed of products, whose
    errors would speak.
    """
    op = find("linear")
    if op is None:
        return

    def linear(*arguments: Any, **keywords: Any) -> Any:
        _check_linear(op, arguments, keywords)
        return op.decompose(*arguments, **keywords)

    for key in (f"Autograd{KEY}", KEY):
        library.m.impl("linear", key, linear)


def _check_linear(op: Op, arguments: Any, keywords: Mapping[str, Any]) -> None:
    names = ("input", "weight", "bias")
    named = {**dict(zip(names, arguments, strict=False)), **keywords}
    operands = [Operand(name, named[name]) for name in names if named.get(name) is not None]
    for operand in operands:
        device = operand.tensor.device
        if device.type != "mps":
            text = f"Tensor for argument {operand.name} is on {device} but expected on mps"
            refuse(text, op, operands)


def refuse_dtypes(to_device: Callable[[Tensor, int], Tensor]) -> Callable[[Tensor, int], Tensor]:
    """Metal has no double precision: no float64 may be made there
    (aten/src/ATen/mps/EmptyTensor.cpp), and nothing be computed of complex128 (``getMPSDataType``,
    aten/src/ATen/native/mps/OperationUtils.mm), which is refused here when it arrives.
    """

    def to_device_in_single(tensor: Tensor, index: int) -> Tensor:
        if tensor.dtype is torch.float64:
            raise TypeError(
                "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support "
                "float64. Please use float32 instead."
            )
        if tensor.dtype is torch.complex128:
            raise TypeError(
                "Trying to convert ComplexDouble to the MPS backend but it does not have support "
                "for that dtype."
            )
        return to_device(tensor, index)

    return to_device_in_single
