"""Whether two expressions of a body surely have the same value (value numbering).

They have where they are of the same form and their names have the same definitions, as long as
nothing in the body writes to the attributes and items that they read. What they call is taken to
give the same again.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

from devicefix.flow.ir import Body, Kind, Op
from devicefix.flow.queries.access import READS, changes, path_of

_ANSWERS: Final = {"True", "False"}
_OPPOSITES: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Is: ast.IsNot, ast.Eq: ast.NotEq, ast.In: ast.NotIn,
    ast.IsNot: ast.Is, ast.NotEq: ast.Eq, ast.NotIn: ast.In,
}  # fmt: skip


def opposite_value(body: Body, one: ast.AST, other: ast.AST) -> bool:
    """Whether one of two conditions holds where the other one does not: ``x is None`` and
    ``x is not None``, ``x == True`` and ``x == False``.
    """
    match one, other:
        case ast.Compare(left, [op], [right]), ast.Compare(left2, [op2], [right2]):
            if not same_value(body, left, left2):
                return False
            if type(op) is type(op2):
                values = getattr(right, "value", None), getattr(right2, "value", None)
                return isinstance(op, (ast.Is, ast.Eq)) and {*map(repr, values)} == _ANSWERS
            return type(op2) is _OPPOSITES.get(type(op)) and same_value(body, right, right2)
    return False


def same_value(body: Body, one: ast.AST, other: ast.AST) -> bool:
    """Of one iteration, if both stand in a loop."""
    if type(one) is not type(other):
        return False
    reads = [op for tree in (one, other) for op in body.of(tree) if op.kind in READS]
    if not all(_is_same(body, reads[0], read) for read in reads[1:]):
        return False
    pairs = zip(ast.iter_fields(one), ast.iter_fields(other), strict=True)
    return all(_same_part(body, a, b) for (_, a), (_, b) in pairs)


def _same_part(body: Body, one: Any, other: Any) -> bool:
    if isinstance(one, ast.AST) and isinstance(other, ast.AST):
        return same_value(body, one, other)
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_same_part(body, a, b) for a, b in pairs)
    return type(one) is type(other) and bool(one == other)


def _is_same(body: Body, one: Op, other: Op) -> bool:
    """Whether two reads see the same."""
    if one.kind is Kind.LOAD:
        return one.operands == other.operands
    path = path_of(one)
    return path is None or not any(changes(op, path) for op in body.writes)
