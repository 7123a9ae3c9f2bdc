"""Whether two expressions of a body surely have the same value (value numbering).

They have where they are of the same form and their names have the same definitions, as long as
nothing in the body writes to the attributes and items that they read. What they call is taken to
give the same again.
"""

from __future__ import annotations

import ast
from typing import Any

from devicefix.flow.ir import Body, Kind, Op
from devicefix.flow.queries.access import READS, changes, path_of


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
    return path is None or not any(changes(op, path) for op in body.ops)
