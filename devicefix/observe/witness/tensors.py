"""Leaves of events that hold tensors: their values, read without a trace.

Reading uses no autograd, no random numbers and no operator that somebody would count: dense tensors
are read where they lie in memory, those of the simulated accelerator included.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final

import torch

from devicefix.observe.witness.numbers import Leaf, digest_of, floats, ints

Tensor = torch.Tensor

_FORMATS: Final = MappingProxyType(
    {
        torch.float32: "f",
        torch.float64: "d",
        torch.complex64: "f",
        torch.complex128: "d",
        torch.bool: "B",
        torch.uint8: "B",
        torch.int8: "b",
        torch.int16: "h",
        torch.int32: "i",
        torch.int64: "q",
    }
)
"""As `memoryview.cast` names them; other dtypes are cast to float64 first."""
_BYTES: Final = "B"


@contextmanager
def unseen() -> Iterator[None]:
    """No mode sees what torch does meanwhile, on this thread, and autograd notes nothing."""
    with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch(), torch.no_grad():
        yield


def tensor_leaf(path: str, tensor: Tensor, room: int) -> Leaf:
    """The leaf of a tensor, with at most ``room`` of its elements."""
    leaf: Leaf = {"path": path, "type": "tensor", "dtype": str(tensor.dtype)[6:]}
    leaf |= {"shape": list(tensor.shape), "device": str(tensor.device)}
    try:
        return leaf | _contents(tensor, room)
    except Exception as error:  # no values: sparse, wrapped by a transform, not there yet
        return leaf | {"text": f"unreadable: {type(error).__name__}"}


def _contents(tensor: Tensor, room: int) -> Leaf:
    size = tensor.numel()
    if not size:
        return {}
    plain = tensor if _is_plain(tensor) else _flattened(tensor)
    held = (ctypes.c_char * (size * plain.element_size())).from_address(plain.data_ptr())
    raw = memoryview(held).cast(_BYTES)
    digest = digest_of(raw)
    code = _FORMATS.get(plain.dtype)
    if code is None:
        return {"digest": digest, "floats": floats(_cast(plain, step_of(size, room)))}
    return {"digest": digest, **sampled(raw, code, size, room, plain.is_complex())}


def sampled(raw: memoryview, code: str, size: int, room: int, pairs: bool = False) -> Leaf:
    """Every n-th of ``size`` elements of the format ``code``; complex ones are pairs."""
    numbers: memoryview[Any] = raw.cast(code)  # type: ignore[call-overload]
    if pairs:
        step = 2 * step_of(size, room // 2)
        both = zip(numbers[::step].tolist(), numbers[1::step].tolist(), strict=True)
        return {"floats": floats(part for number in both for part in number)}
    chosen = numbers[:: step_of(size, room)].tolist()
    return {"floats": floats(chosen)} if code in "fd" else {"ints": ints(chosen)}


def step_of(size: int, room: int) -> int:
    """The smallest n such that every n-th of ``size`` elements fit into ``room``."""
    return max(1, -(-size // room))


def _is_plain(tensor: Tensor) -> bool:
    """Whether the values can be read where they lie."""
    if tensor.layout is not torch.strided or tensor.is_conj() or tensor.is_neg():
        return False
    return _in_reach(tensor) and tensor.is_contiguous()


def _in_reach(tensor: Tensor) -> bool:
    """Whether its memory is the host's."""
    return tensor.is_cpu or is_simulated(tensor)


def is_simulated(tensor: Tensor) -> bool:
    """Whether the tensor lives on the simulated accelerator."""
    from devicefix.simulator.installation import installed

    accelerator = installed()
    return accelerator is not None and tensor.device in accelerator.devices


def _flattened(tensor: Tensor) -> Tensor:
    """Its values on the host, one behind the other."""
    with unseen():
        if tensor.layout is not torch.strided:
            return tensor.detach().cpu().to_dense().contiguous()
        if not _in_reach(tensor):
            return tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
        return _gathered(tensor).contiguous()


def _gathered(tensor: Tensor) -> Tensor:
    """The same memory as a tensor of the host, whatever the tensor says where it lives."""
    storage = tensor.untyped_storage()
    held = (ctypes.c_char * storage.nbytes()).from_address(storage.data_ptr())
    whole = torch.frombuffer(held, dtype=tensor.dtype)
    view = whole.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())
    view = view.conj().resolve_conj() if tensor.is_conj() else view
    return view.neg() if tensor.is_neg() else view


def _cast(plain: Tensor, step: int) -> list[float]:
    """Every ``step``-th element of a dtype that Python has no name for, such as bfloat16."""
    with unseen():
        host = plain if plain.is_cpu else _gathered(plain)
        found: list[float] = host.reshape(-1)[::step].to(torch.float64).tolist()
    return found


def number_read(tensor: Tensor, value: Any) -> Leaf:
    """The leaf of the only element of ``tensor``, which was read as the number ``value``."""
    leaf: Leaf = {"path": "", "type": "tensor", "dtype": str(tensor.dtype)[6:]}
    leaf |= {"shape": list(tensor.shape), "device": str(tensor.device)}
    if tensor.is_complex():
        number = complex(value)
        return leaf | {"floats": floats((number.real, number.imag))}
    if tensor.is_floating_point():
        return leaf | {"floats": floats((float(value),))}
    return leaf | {"ints": ints((int(value),))}
