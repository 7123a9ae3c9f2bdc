"""Operands whose dtype a strict consumer refuses, on the CPU as on any device."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeGuard

from msgspec.structs import replace

from devicefix.flow.frame import Frame
from devicefix.flow.ir import Bodies
from devicefix.flow.joins import parts_in
from devicefix.flow.memory import is_stale
from devicefix.flow.observations import DtypeClash
from devicefix.flow.operands import INTEGERS, Operand
from devicefix.flow.queries.reaching import arguments_behind
from devicefix.flow.scopes import FUNCTIONS, scope_of
from devicefix.flow.values import (
    Array,
    Const,
    FileRecord,
    Listing,
    Tensor,
    Tuple,
    Value,
)

if TYPE_CHECKING:
    from devicefix.flow.analysis import Analysis


def check_operand(frame: Frame, operand: Operand, wanted: str, *, integers: bool = True) -> bool:
    """Record a clash where ``operand`` surely has another dtype than the ``wanted`` float one."""
    expr, value = operand
    if not isinstance(value, Tensor) or value.dtype is None or frame.analysis.default_float64:
        return False
    clash = value.dtype != wanted and (value.dtype == "float64" or wanted == "float64")
    if value.dtype in INTEGERS:
        clash = integers
    if clash and expr is not None and not value.maybe:
        born = None if is_stale(frame, value) else value.born  # a cast there would be a copy
        frame.seen.clashes[expr] = DtypeClash(expr, value.dtype, wanted, born)
    return clash


def accept(frame: Frame, operands: Iterable[Operand]) -> None:
    """A module takes these as they are: what another one called there wants is no reason to cast.

    ``embedding(index)`` needs integers, where a ``linear`` that may be called there needs floats.
    """
    frame.seen.accepted.update(expr for expr, _ in operands if expr is not None)


def check_strict(frame: Frame, operands: Sequence[Operand]) -> tuple[list[Operand], bool]:
    """``x @ w`` refuses float64 beside float32: the operands as they should be, and if any is not.

    Integers are not looked at: most of these operations take them for something.
    """
    found = {v.dtype for _, v in operands if isinstance(v, Tensor)}
    if not found >= {"float32", "float64"}:
        return list(operands), False
    clash = False
    mended: list[Operand] = []
    for expr, value in operands:
        if check_operand(frame, (expr, value), "float32", integers=False):
            clash = True
            assert isinstance(value, Tensor)
            value = replace(value, dtype="float32", born=None)
        mended.append((expr, value))
    return mended, clash


def written_parts(operands: Sequence[Operand]) -> list[Operand]:
    """The operands, and in place of ``(h, c)`` its parts."""
    found: list[Operand] = []
    for expr, value in operands:
        if isinstance(expr, ast.Tuple) and isinstance(value, Tuple):
            found += zip(expr.elts, value.items, strict=False)
        else:
            found.append((expr, value))
    return found


def note_purpose(frame: Frame, tree: ast.expr) -> None:
    """The author asks for a dtype by name at ``tree``: what clashes with it is for a person."""
    frame.seen.on_purpose.add(tree)


def clashes_in(analysis: Analysis, file: FileRecord) -> tuple[DtypeClash, ...]:
    """The clashes of one file, as codemods see them.

    What a caller hands in is cast where it is made, if nobody but strict consumers sees it.
    """
    seen = analysis.seen
    found: dict[ast.AST, DtypeClash] = {}
    for operand, clash in seen.clashes.items():
        if operand in seen.other_values or operand in seen.accepted:
            continue
        # pixels are made as integers, and still meant for the layer
        purpose = clash.found == "float64" and clash.born in seen.on_purpose
        handed = ""
        births = _births(analysis, clash.born)
        if _is_handed_in(analysis, births, operand):
            born = next(iter(births)) if len(births) == 1 else None
            if born is None:
                handed = "an operation elsewhere"
            elif _may_be_cast(analysis, born):
                operand = born
            else:
                handed = f"{analysis.home(born).path}:{getattr(born, 'lineno', 0)}"
        if analysis.home(operand) is not file:
            continue
        keyword = clash.born in seen.takes_dtype
        if clash.born is not None and analysis.home(clash.born) is not file:
            clash = replace(clash, born=None)
        found[operand] = replace(
            clash, operand=operand, on_purpose=purpose, keyword=keyword, handed=handed
        )
    return tuple(found.values())


def _births(analysis: Analysis, born: ast.AST | None) -> frozenset[ast.AST]:
    """Where what a value has its dtype from got its own: ``x`` of ``torch.unsqueeze(x, 1)``."""
    waiting, met, first = [born] if born is not None else [], set[ast.AST](), set[ast.AST]()
    while waiting:
        at = waiting.pop()
        if at not in met:
            met.add(at)
            behind = [b for b, uses in analysis.seen.dtype_uses.items() if at in uses and b != at]
            waiting += behind
            first |= set() if behind else {at}
    return frozenset(first)


def _is_handed_in(analysis: Analysis, births: frozenset[ast.AST], operand: ast.AST) -> bool:
    """Whether callers that were not seen may hand in the operand, with another dtype."""
    scope, home = scope_of(analysis.parents, operand), analysis.home(operand)
    if not home.imported or not isinstance(scope, FUNCTIONS):
        return False
    if births and all(scope_of(analysis.parents, born) is scope for born in births):
        return False
    method = isinstance(analysis.parents.get(scope), ast.ClassDef)
    own = scope.args.args[0].arg if method and scope.args.args else ""
    given = arguments_behind(home.source.once(Bodies).of(scope), operand)
    return any(op.name != own for op in given)


def _may_be_cast(analysis: Analysis, born: ast.AST) -> TypeGuard[ast.expr]:
    """Whether nobody sees the dtype of what is made there but consumers that refuse it."""
    owned = analysis.home(born).owned and not analysis.seen.dtype_uses.get(born)
    return owned and isinstance(born, ast.expr)


# -- what data becomes -------------------------------------------------------------------------


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
