"""``/`` of two integers gave an integer (PEP 238)."""

from __future__ import annotations

import ast

from devicefix.dialect.draft import Draft
from devicefix.dialect.kinds import Kind
from devicefix.dialect.whole_numbers import takes_whole_numbers

_NO_NUMBERS = (Kind.TEXT, Kind.LIST, Kind.ITERATOR, Kind.OTHER)


def divide(draft: Draft) -> None:
    """``/`` between integers becomes ``//``; where nothing says what they are, that is noted."""
    if "division" in draft.features:
        return
    for node in draft.walk():
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
            _divide(draft, node)


def is_of_integers(draft: Draft, node: ast.BinOp | ast.AugAssign) -> bool:
    """Whether ``/`` surely stands between integers."""
    left, right = _sides(node)
    kinds = draft.kinds.of(left), draft.kinds.of(right)
    return isinstance(node.op, ast.Div) and kinds == (Kind.INTEGER, Kind.INTEGER)


def _divide(draft: Draft, node: ast.BinOp | ast.AugAssign) -> None:
    left, right = _sides(node)
    kinds = draft.kinds.of(left), draft.kinds.of(right)
    if Kind.FLOAT in kinds or any(kind in _NO_NUMBERS for kind in kinds):
        return
    whole = isinstance(node, ast.BinOp) and takes_whole_numbers(draft, node)
    if whole or is_of_integers(draft, node):
        sign = "/" if isinstance(node, ast.BinOp) else "/="
        draft.replace(draft.operator(left, right, sign), "/" + sign, "division of integers")
        return
    draft.note(
        node,
        "Python 2 rounded this down if both sides are integers",
        "write // if they are; it was left as /",
    )


def _sides(node: ast.BinOp | ast.AugAssign) -> tuple[ast.expr, ast.expr]:
    return (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
