"""`torch.cuda.FloatTensor` and its kin: constructors, `isinstance`, `Tensor.type`, the default
tensor type.
"""

from __future__ import annotations

import functools
from types import MappingProxyType
from typing import Any, Final

import torch

from devicefix.simulator.accelerator import Accelerator

Tensor = torch.Tensor

_TYPES: Final = MappingProxyType(
    {
        "FloatTensor": torch.float32,
        "DoubleTensor": torch.float64,
        "HalfTensor": torch.float16,
        "BFloat16Tensor": torch.bfloat16,
        "ByteTensor": torch.uint8,
        "CharTensor": torch.int8,
        "ShortTensor": torch.int16,
        "IntTensor": torch.int32,
        "LongTensor": torch.int64,
        "BoolTensor": torch.bool,
    }
)


class _LegacyType(type):
    """The class of these classes: a tensor is an instance by its device and dtype."""

    dtype: torch.dtype
    is_cuda = True

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.is_cuda and instance.dtype is cls.dtype

    def __repr__(cls) -> str:
        return f"<class 'torch.cuda.{cls.__name__}'>"


def install(accelerator: Accelerator) -> None:
    """Put the types into `torch.cuda`; `Tensor.type` and the default tensor type know them."""
    for name, dtype in _TYPES.items():
        setattr(torch.cuda, name, _legacy_type(name, dtype, accelerator))
    _install_type()
    _install_default_type()


def _legacy_type(name: str, dtype: torch.dtype, accelerator: Accelerator) -> type:
    def new(cls: type, *arguments: Any, device: Any = None) -> Tensor:
        target = accelerator.devices[accelerator.index(device)]
        return _construct(arguments, dtype, target)

    fields = {
        "__new__": new,
        "__module__": "torch.cuda",
        "dtype": dtype,
        "device": torch.device("cuda"),
        "layout": torch.strided,
        "is_sparse": False,
    }
    return _LegacyType(name, (), fields)


def _construct(arguments: tuple[Any, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    """A size makes an uninitialised tensor, data a copy.

    As ``legacy_tensor_ctor`` does it (torch/csrc/utils/tensor_new.cpp).
    """
    if len(arguments) == 1 and isinstance(arguments[0], torch.Size):
        return torch.empty(arguments[0], dtype=dtype, device=device)
    if all(isinstance(argument, int) for argument in arguments):
        return torch.empty(arguments or (0,), dtype=dtype, device=device)
    data = arguments[0]
    if not isinstance(data, Tensor):
        return torch.tensor(data, dtype=dtype, device=device)
    # An alias if device and dtype are the same, else torch's own TypeError.
    return torch.empty(0, dtype=dtype, device=device).new(data)


def _asked(kind: Any) -> torch.dtype | None:
    """The dtype of ``torch.cuda.FloatTensor``, given as a class or by its name; None for anything
    else.
    """
    if isinstance(kind, _LegacyType):
        return kind.dtype
    if isinstance(kind, str) and kind.startswith("torch.cuda."):
        return _TYPES.get(kind.removeprefix("torch.cuda."))
    return None


def _install_type() -> None:
    native = torch.Tensor.type

    @functools.wraps(native)
    def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False, **keywords: Any) -> Any:
        asked = _asked(dtype)
        if asked is not None:
            return self.to(device=self.device if self.is_cuda else "cuda", dtype=asked)
        return native(self) if dtype is None else native(self, dtype, non_blocking, **keywords)

    torch.Tensor.type = type_  # type: ignore[method-assign,assignment]


def _install_default_type() -> None:
    native = torch.set_default_tensor_type
    native_new = torch.Tensor.__new__

    @functools.wraps(native)
    def set_default_tensor_type(t: Any, /) -> None:
        asked = _asked(t)
        if asked is None:
            torch.set_default_device(None)
            torch.Tensor.__new__ = native_new  # type: ignore[method-assign]
            native(t)
        else:
            torch.set_default_dtype(asked)
            torch.set_default_device("cuda")
            torch.Tensor.__new__ = new  # type: ignore[method-assign]

    def new(*everything: Any, **keywords: Any) -> Any:
        """``torch.Tensor(...)`` makes a tensor of the default type.

        torch's compiler, which optimizers import, compares signatures; one like this it takes.
        """
        cls, *rest = everything
        arguments = tuple(rest)
        given = keywords or any(isinstance(argument, Tensor) for argument in arguments)
        if cls is not torch.Tensor or given:
            return native_new(cls, *arguments, **keywords)
        return _construct(arguments, torch.get_default_dtype(), torch.device("cuda"))

    torch.set_default_tensor_type = set_default_tensor_type
