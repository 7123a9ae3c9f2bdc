"""Operands whose dtype a strict consumer refuses, on the CPU as on any device."""

from __future__ import annotations

from devicefix.flow.frame import Frame
from devicefix.flow.joins import parts_in
from devicefix.flow.observations import DtypeClash
from devicefix.flow.operands import Operand
from devicefix.flow.values import (
    Array,
    Const,
    Listing,
    Tensor,
    Tuple,
    Value,
)

INTEGERS = frozenset(("int64", "int32", "int16", "int8", "uint8", "bool"))


def check_operand(frame: Frame, operand: Operand, wanted: str, *, integers: bool = True) -> None:
    """Record a clash where ``operand`` surely has another dtype than the ``wanted`` float one."""
    expr, value = operand
    if not isinstance(value, Tensor) or value.dtype is None or frame.analysis.default_float64:
        return
    clash = value.dtype != wanted and (value.dtype == "float64" or wanted == "float64")
    if value.dtype in INTEGERS:
        clash = integers
    if not clash or expr is None:
        return
    frame.seen.clashes[expr] = DtypeClash(expr, value.dtype, wanted, value.born)


def dtype_of_data(value: Value) -> str | None:
    """The dtype that ``torch.tensor(value)`` infers."""
    if isinstance(value, (Array, Tensor)):
        return value.dtype
    if isinstance(value, (Const, Tuple, Listing)):
        return _of_parts([_of_part(part) for part in parts_in(value)])
    return None


def _of_part(value: Value) -> str | None:
    if isinstance(value, Array):
        return value.dtype
    if isinstance(value, Const):
        kinds = {bool: "bool", int: "int64", float: "float32"}
        return kinds.get(type(value.value))
    return None


def _of_parts(dtypes: list[str | None]) -> str | None:
    if not dtypes or None in dtypes:
        return None
    if "float64" in dtypes:
        return "float64"
    if "float32" in dtypes:
        return "float32"
    return dtypes[0] if len(set(dtypes)) == 1 else None
