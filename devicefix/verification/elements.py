"""Leaves of arrays whose bytes lie in a file, as the ones that are observed in the program."""

from __future__ import annotations

import hashlib
import itertools
import math
import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from devicefix.records.observations import SAMPLED, Leaf

_FORMATS: Final = MappingProxyType(
    {
        "float16": "e",
        "float32": "f",
        "float64": "d",
        "bfloat16": "H",
        "complex64": "ff",
        "complex128": "dd",
        "bool": "?",
        "uint8": "B",
        "uint16": "H",
        "uint32": "I",
        "int8": "b",
        "int16": "h",
        "int32": "i",
        "int64": "q",
    }
)
"""As `struct` names them."""
_WHOLE: Final = frozenset({"bool", "uint8", "uint16", "uint32", "int8", "int16", "int32", "int64"})


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the elements of an array are among its bytes."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In elements."""
    offset: int = 0
    order: str = "<"


def in_a_row(shape: Sequence[int], columns: bool = False) -> tuple[int, ...]:
    """The strides of what lies without gaps, row by row or column by column."""
    sizes = list(shape) if columns else list(reversed(shape))
    steps = list(itertools.accumulate([1, *sizes[:-1]], lambda a, b: a * b))[: len(sizes)]
    return tuple(steps) if columns else tuple(reversed(steps))


def leaf_of(path: str, kind: str, raw: bytes, layout: Layout) -> Leaf:
    """The leaf of an array. Raises `ValueError` where the bytes do not fit."""
    size = math.prod(layout.shape)
    shape, dtype = layout.shape, layout.dtype
    form = _FORMATS.get(dtype)
    if form is None:
        return Leaf(path, kind, dtype, shape, digest=digest_of(raw))
    one = struct.Struct(layout.order + form)
    step = max(1, -(-size * len(form) // SAMPLED))
    try:
        values = [
            one.unpack_from(raw, (layout.offset + _place(at, layout)) * one.size)
            for at in range(0, size, step)
        ]
    except struct.error as error:
        raise ValueError(str(error)) from None
    numbers = array("q" if dtype in _WHOLE else "d", _numbers(dtype, values))
    plain = layout.offset == 0 and layout.strides == in_a_row(shape) and layout.order == "<"
    digest = digest_of(raw[: size * one.size]) if plain else ""
    return Leaf(path, kind, dtype, shape, numbers=numbers, digest=digest)


def _numbers(dtype: str, values: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    for parts in values:
        for part in parts:
            if dtype == "bfloat16":  # the upper half of a float32
                yield struct.unpack("<f", struct.pack("<I", part << 16))[0]
            else:
                yield int(part) if dtype in _WHOLE else part


def _place(at: int, layout: Layout) -> int:
    place = 0
    for size, stride in zip(reversed(layout.shape), reversed(layout.strides), strict=True):
        at, index = divmod(at, size)
        place += index * stride
    return place


def digest_of(raw: bytes) -> str:
    """Of bytes."""
    return hashlib.blake2b(raw, digest_size=16).hexdigest()
