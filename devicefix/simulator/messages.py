"""Errors of placement, word for word as torch raises them, and what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import torch

Tensor = torch.Tensor


@dataclass(frozen=True)
class Operand:
    """One tensor of an operation, under the name that its schema gives it."""

    name: str
    tensor: Tensor


@dataclass(frozen=True)
class Mismatch:
    """Tensors that had to be on one device."""

    op: str
    """The operator's name, such as ``aten::addmm``."""
    operands: tuple[Operand, ...]


def release() -> tuple[int, int]:
    """This torch's major and minor version."""
    major, minor = torch.__version__.split(".")[:2]
    return int(major), int(minor)


_ARGUMENT_FIRST = release() >= (2, 8)
"""Until 2.7, ``common_device_check_failure`` (aten/src/ATen/core/adaption.cpp) named both devices
instead; pytorch/pytorch#155085 changed it, after 2.7 had been released.
"""


def refuse(
    text: str, op: Any, operands: Sequence[Operand], kind: type[Exception] = RuntimeError
) -> NoReturn:
    """Raise torch's error ``text``; the exception says in its attribute ``placement`` what it is
    about.
    """
    error = kind(text)
    error.placement = Mismatch(op._schema.name, tuple(operands))  # type: ignore[attr-defined]
    raise error


def argument_elsewhere(operand: Operand, common: torch.device, wrapper: str) -> str:
    """What generated wrappers say of the first argument that is elsewhere."""
    device = operand.tensor.device
    if _ARGUMENT_FIRST:
        return (
            "Expected all tensors to be on the same device, but got "
            f"{operand.name} is on {device}, different from other tensors on {common} "
            f"(when checking argument in method {wrapper})"
        )
    where = f"when checking argument for argument {operand.name} in method {wrapper}"
    return f"{two_devices(common, device)} ({where})"


def two_devices(common: torch.device, other: torch.device) -> str:
    """What TensorIterator says (aten/src/ATen/TensorIterator.cpp, ``compute_types``)."""
    return (
        "Expected all tensors to be on the same device, "
        f"but found at least two devices, {common} and {other}!"
    )


def index_elsewhere(indexed: torch.device) -> str:
    """What indexing says (aten/src/ATen/native/IndexingUtils.h and TensorAdvancedIndexing.cpp)."""
    return (
        f"indices should be either on cpu or on the same device as the indexed tensor ({indexed})"
    )


def values_elsewhere(indexed: torch.device, values: torch.device) -> str:
    """What indexed accumulation says (aten/src/ATen/native/TensorAdvancedIndexing.cpp)."""
    return f"expected device {indexed} but got device {values} for value tensor"


def mask_elsewhere(mask: torch.device, filled: torch.device) -> str:
    """What ``masked_fill_`` says (aten/src/ATen/native/cuda/Indexing.cu)."""
    return (
        "expected self and mask to be on the same device, "
        f"but got mask on {mask} and self on {filled}"
    )


def convolution_types(what: str, tensor: Tensor, other: str, beside: Tensor, mkldnn: bool) -> str:
    """What a convolution says of its operands.

    ``check_input_same_type_as_parameters`` (aten/src/ATen/native/Convolution.cpp).
    """
    hint = " or input should be a MKLDNN tensor and weight is a dense tensor" if mkldnn else ""
    types = f"{what} type ({type_name(tensor)}) and {other} type ({type_name(beside)})"
    return f"{types} should be the same{hint}"


def slow_convolution(data: torch.device, weight: torch.device) -> str:
    """What MPS says of a convolution of the host with a weight of the device.

    ``slow_conv2d_forward_mps`` (aten/src/ATen/mps/MPSFallback.mm).
    """
    return (
        f"slow_conv2d_forward_mps: input(device='{data}') and weight(device={weight}')  "
        "must be on the same device"
    )


def type_name(tensor: Tensor) -> str:
    """The legacy name of a tensor's type, as C++ prints it."""
    name = tensor.type()
    if (
        tensor.device.type == "mps"
    ):  # MPSFloatType (c10/core/Backend.h), where Python says torch.mps.FloatTensor
        return f"MPS{name.rpartition('.')[2].removesuffix('Tensor')}Type"
    return name


def wrong_generator(expected: str, found: str) -> str:
    """What `check_generator` says (aten/src/ATen/core/Generator.h)."""
    return f"Expected a '{expected}' device type for generator but found '{found}'"
