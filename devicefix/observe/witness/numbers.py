"""Leaves of events that hold plain numbers and texts. Standard library only."""

from __future__ import annotations

import base64
import hashlib
import sys
from array import array
from collections.abc import Iterable
from typing import Any, Final

Leaf = dict[str, Any]

_LONG_TEXT: Final = 4096
_SMALLEST, _LARGEST = -(1 << 63), (1 << 63) - 1


def floats(values: Iterable[float]) -> str:
    """Numbers as the key ``floats`` holds them."""
    return _encoded(array("d", values))


def ints(values: Iterable[int]) -> str:
    """Numbers as the key ``ints`` holds them."""
    return _encoded(array("q", values))


def _encoded(values: array[Any]) -> str:
    if sys.byteorder == "big":
        values.byteswap()
    return base64.b64encode(values.tobytes()).decode("ascii")


def digest_of(content: Any) -> str:
    """The digest of bytes."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def number_leaf(path: str, value: Any) -> Leaf | None:
    """The leaf of a number, a text or None; None for anything else."""
    kind = type(value)
    if value is None:
        return {"path": path, "type": "none"}
    if kind is bool:
        return {"path": path, "type": "bool", "ints": ints((value,))}
    if isinstance(value, int) and kind.__module__ == "builtins":
        if _SMALLEST <= value <= _LARGEST:
            return {"path": path, "type": "int", "ints": ints((value,))}
        return {"path": path, "type": "int", "text": str(value)}
    if isinstance(value, float):
        return {"path": path, "type": "float", "floats": floats((value,))}
    if kind is complex:
        return {"path": path, "type": "complex", "floats": floats((value.real, value.imag))}
    if kind is str:
        return _text(path, value)
    if kind in (bytes, bytearray):
        return {"path": path, "type": "bytes", "digest": digest_of(value)}
    return None


def _text(path: str, value: str) -> Leaf:
    if len(value) <= _LONG_TEXT:
        return {"path": path, "type": "str", "text": value}
    digest = digest_of(value.encode("utf-8", "surrogatepass"))
    return {"path": path, "type": "str", "text": value[:_LONG_TEXT], "digest": digest}
