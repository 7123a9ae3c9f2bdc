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
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
            _divide(draft, node)


def divide_needed(draft: Draft) -> None:
    """``/`` becomes ``//`` where its result has to be an integer: Python 3 could not run that."""
    if "division" in draft.features:
        return
    for node in draft.walk():
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Div)
            and node in draft.needed
            and is_of_integers(draft, node)  # last: only now the kinds of the file are looked for
        ):
            _replace(draft, node)


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
    if is_of_integers(draft, node):
        _replace(draft, node)
        return
    draft.note(
        node,
        "Python 2 rounded this down if both operands are integers",
        "use // if they are; it was left as /",
    )


def _replace(draft: Draft, node: ast.BinOp | ast.AugAssign) -> None:
    left, right = _sides(node)
    sign = "/" if isinstance(node, ast.BinOp) else "/="
    draft.replace(draft.operator(left, right, sign), "/" + sign, "integer division")


def _sides(node: ast.BinOp | ast.AugAssign) -> tuple[ast.expr, ast.expr]:
    return (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
