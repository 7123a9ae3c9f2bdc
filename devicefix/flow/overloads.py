"""Operators that the program's own classes define."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.flow.frame import Frame
from devicefix.flow.values import Instance, Value

_NAMES: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift",
    ast.RShift: "rshift", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip


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
        if _defines(receiver, method):
            return frame.call_method(place, receiver, method, other)
    return None


def _defines(value: Value, method: str) -> bool:
    """Whether an object of the program has a method of its own by that name."""
    records = value.records if isinstance(value, Instance) else ()
    return any(record.cls is not None and record.cls.lookup(method) for record in records)
