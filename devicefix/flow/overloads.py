"""Operators that the program's own classes define."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from devicefix.flow.descriptors import defines
from devicefix.flow.frame import Frame
from devicefix.flow.values import PLAIN, Instance, Value

_NAMES: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift",
    ast.RShift: "rshift", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip

_COMPARISONS: Final[dict[type[ast.cmpop], tuple[str, str]]] = {
    ast.Eq: ("__eq__", "__eq__"), ast.NotEq: ("__ne__", "__ne__"), ast.Lt: ("__lt__", "__gt__"),
    ast.Gt: ("__gt__", "__lt__"), ast.LtE: ("__le__", "__ge__"), ast.GtE: ("__ge__", "__le__"),
}  # fmt: skip
"""The method of the left side, and that of the right one."""


def overloaded(
    frame: Frame, tree: ast.expr | ast.AugAssign, left: Value, right: Value, op: ast.operator
) -> Value | None:
    """What ``__add__`` or its kin gives, of the left side or else of the right one.

    https://docs.python.org/3/reference/datamodel.html#emulating-numeric-types
    """
    name = _NAMES[type(op)]
    place = tree.target if isinstance(tree, ast.AugAssign) else tree
    ways = [(left, f"__{name}__", right), (right, f"__r{name}__", left)]
    if isinstance(tree, ast.AugAssign):
        ways.insert(0, (left, f"__i{name}__", right))
    for receiver, method, other in ways:
        if defines(receiver, method):
            return frame.call_method(place, receiver, method, other)
    return None


def compared(frame: Frame, tree: ast.Compare, values: Sequence[Value]) -> Value | None:
    """What the first comparison of ``tree`` by a method of the program gives, after all are made.

    https://docs.python.org/3/reference/datamodel.html#object.__lt__
    """
    found: Value | None = None
    for op, left, right in zip(tree.ops, values, values[1:], strict=False):
        if Instance in (type(left), type(right)):
            found = found or _compared(frame, tree, op, left, right)
    return found


def _compared(
    frame: Frame, tree: ast.Compare, op: ast.cmpop, left: Value, right: Value
) -> Value | None:
    if isinstance(op, (ast.In, ast.NotIn)):
        if not defines(right, "__contains__"):
            return None
        frame.call_method(tree, right, "__contains__", left)
        return PLAIN
    own, reflected = _COMPARISONS.get(type(op), ("", ""))
    ways = [(left, own, right), (right, reflected, left)]
    if isinstance(op, ast.NotEq):  # without a method of its own, it asks whether they are equal
        ways += [(left, "__eq__", right), (right, "__eq__", left)]
    for receiver, method, other in ways:
        if defines(receiver, method):
            return frame.call_method(tree, receiver, method, other)
    return None
