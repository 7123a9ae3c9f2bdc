"""``/`` of two integers gave an integer (PEP 238)."""

from __future__ import annotations

import ast

from devicefix.dialect.draft import Draft
from devicefix.dialect.kinds import Kind

_NO_NUMBERS = (Kind.TEXT, Kind.LIST, Kind.ITERATOR, Kind.OTHER)


def divide(draft: Draft) -> None:
    """``/`` between integers becomes ``//``; where nothing says what they are, that is noted."""
    if "division" in draft.features:
        return
    for node in draft.walk():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            _divide(draft, node, node.left, node.right, "/")
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            _divide(draft, node, node.target, node.value, "/=")


def _divide(draft: Draft, node: ast.AST, left: ast.expr, right: ast.expr, sign: str) -> None:
    kinds = _kind(draft, left), draft.kinds.of(right)
    if Kind.FLOAT in kinds or any(kind in _NO_NUMBERS for kind in kinds):
        return
    if kinds == (Kind.INTEGER, Kind.INTEGER):
        draft.replace(draft.operator(left, right, sign), "/" + sign, "division of integers")
        return
    draft.note(
        node,
        "Python 2 rounded this down if both sides are integers",
        "write // if they are; it was left as /",
    )


def _kind(draft: Draft, target: ast.expr) -> Kind | None:
    """What is divided: a name that is assigned to is looked up like one that is read."""
    return draft.kinds.of(target)
