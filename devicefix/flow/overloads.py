"""Operators that the program's own classes define."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from devicefix.flow.descriptors import defines
from devicefix.flow.frame import Frame
from devicefix.flow.joins import element, join_all, tensor_parts
from devicefix.flow.operands import Operand, combine, is_unseen
from devicefix.flow.values import PLAIN, Instance, Listing, Stream, Tensor, Tuple, Unknown, Value

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


def look_for(frame: Frame, tree: ast.expr, item: Operand, holder: Operand) -> None:
    """``x in xs``, ``xs.index(x)``: ``x`` is compared with all that ``xs`` holds.

    https://docs.python.org/3/reference/expressions.html#membership-test-operations
    """
    asked = tensor_parts(item[1]) or is_unseen(item[1])
    if asked and isinstance(holder[1], (Listing, Stream, Tensor, Tuple, Unknown)):
        combine(frame, tree, [item, holder], pointwise=True)
    for one, other in ((item[1], _element(holder[1])), (_element(holder[1]), item[1])):
        if defines(one, "__eq__") and one is not None and other is not None:
            frame.call_method(tree, one, "__eq__", other)


def compare_items(frame: Frame, tree: ast.expr, *holders: Value | None) -> None:
    """``sorted(xs)``, ``heappush(xs, x)``: what they hold is compared with each other; of tuples
    the first items.
    """
    items = [_first_in(v) for v in map(_element, holders) if v is not None]
    held = [(None, Stream(item)) for item in items]
    if not all(part.scalar for _, v in held for part in tensor_parts(v)):
        combine(frame, tree, held, pointwise=True)
    for item in items if defines(join_all(items), "__lt__") else ():
        frame.call_method(tree, item, "__lt__", join_all(items))


def _element(holder: Value | None) -> Value | None:
    return element(holder) if isinstance(holder, (Listing, Stream, Tuple)) else None


def _first_in(value: Value) -> Value:
    return value.items[0] if isinstance(value, Tuple) and value.items else value
