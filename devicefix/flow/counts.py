"""Numbers that are 0 where there is no GPU: ``torch.cuda.device_count()``, and what it counts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Set
from typing import Final, TypeAlias

from devicefix.flow.ir import Body, Kind, Op
from devicefix.flow.queries.reaching import alternatives

_COUNTS: Final = frozenset({"torch.cuda.device_count"})
_KEEP: Final = frozenset({"range", "list", "tuple", "sorted", "len", "int", "float"})
"""Builtins that give nothing, or 0, for nothing."""
_DIVIDES: Final = (ast.Div, ast.FloorDiv, ast.Mod)

Names: TypeAlias = Callable[[ast.Call], Collection[str]]


def divides_by_zero(op: Op, names: Names, zero: Set[str] = frozenset()) -> bool:
    """Whether an operator divides by such a number; ``zero``: parameters that are given one."""
    divided = isinstance(op.node, (ast.BinOp, ast.AugAssign)) and isinstance(op.node.op, _DIVIDES)
    return divided and op.kind is Kind.COMPUTE and _is_zero(op.operands[-1], names, zero)


def given_zero(call: Op, names: Names, parameters: ast.arguments) -> frozenset[str]:
    """The parameters that a call gives such a number, by position."""
    tree = call.node
    assert isinstance(tree, ast.Call)
    named = [argument.arg for argument in (*parameters.posonlyargs, *parameters.args)]
    pairs = zip(named, tree.args, strict=False)
    own = ((name, _operand(call, given)) for name, given in pairs)
    return frozenset(n for n, op in own if op is not None and _is_zero(op, names, frozenset()))


def divisions(body: Body, names: Names, zero: Set[str]) -> Iterator[Op]:
    """The operators that divide by one whenever the function is called."""
    return (op for op in body.blocks[0].ops if divides_by_zero(op, names, zero))


def _is_zero(op: Op, names: Names, zero: Set[str], asked: Set[Op] = frozenset()) -> bool:
    """``asked``: what a loop comes back to; it is 0 if all that comes into the loop is."""
    if op in asked:
        return True
    asked = {*asked, op}
    match op.kind, op.node:
        case ((Kind.LOAD | Kind.STORE), _) if op.operands:
            bound = alternatives(op.operands[0])
            return all(_is_zero(one, names, zero, asked) for one in bound)
        case Kind.ARGUMENT, _:
            return op.name in zero
        case Kind.CALL, ast.Call(args=[], keywords=[]) as call:
            return not _COUNTS.isdisjoint(names(call))
        case Kind.CALL, ast.Call(func=ast.Name(id=name), args=[given], keywords=[]):
            part = _operand(op, given) if name in _KEEP else None
            return part is not None and _is_zero(part, names, zero, asked)
    return False


def _operand(call: Op, tree: ast.expr) -> Op | None:
    return next((operand for operand in call.operands if operand.node is tree), None)
