"""What an expression computes, as a term: expressions with equal terms have the same value.

Names stand for their definitions, ``a + "/x"`` and ``f"{a}/x"`` for what they are made of, and the
parameters of a called function for what its caller gives. Like `congruence`, this takes attributes
and items that the body does not write to as the same at all times.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Final, TypeAlias

from devicefix.flow.ir import Body, Kind, Op
from devicefix.flow.queries.access import changes, path_of

Term: TypeAlias = Hashable
"""An operation whose result stands for itself, or a tuple of what it is computed of."""

_OPERATORS: Final = (ast.BinOp, ast.JoinedStr, ast.FormattedValue)


class Terms:
    """The terms of the operations of one body."""

    def __init__(
        self,
        body: Body,
        given: Mapping[str, Term],
        outer: Callable[[Op], Term],
        is_pure: Callable[[ast.AST], bool],
    ) -> None:
        """``given``: what parameters stand for; ``outer``: what a read of a name of another scope
        does; ``is_pure``: whether a call gives the same for the same operands."""
        self._body = body
        self._given = given
        self._outer = outer
        self._is_pure = is_pure

    def of_tree(self, tree: ast.expr) -> Term:
        """The term of an expression; of a default value that is not written out, itself."""
        if isinstance(tree, ast.Constant):
            return ("constant", repr(tree.value))
        ops = self._body.of(tree)
        return self.of(ops[0]) if len(ops) == 1 else tree

    def of(self, op: Op) -> Term:
        """The term of a result."""
        match op:
            case Op(kind=Kind.CONSTANT, node=ast.Constant() as tree):
                return self.of_tree(tree)
            case Op(kind=Kind.LOAD, operands=[bound]):
                return self.of(bound)
            case Op(kind=Kind.STORE, operands=[value]):
                return self.of(value)
            case Op(kind=Kind.ARGUMENT, name=name):
                return self._given.get(name, op)
            case Op(kind=Kind.COMPUTE, node=node) if isinstance(node, _OPERATORS):
                return (type(node), _told(node), *map(self.of, op.operands))
            case Op(kind=Kind.CALL, node=node) if self._is_pure(node):
                return ("call", *map(self.of, op.operands))
            case Op(kind=Kind.OUTER):
                return self._outer(op)
            case Op(kind=Kind.ATTRIBUTE | Kind.ITEM) if self._is_kept(op):
                return (op.kind, op.name, *map(self.of, op.operands))
        return op

    def _is_kept(self, read: Op) -> bool:
        path = path_of(read)
        return path is not None and not any(changes(op, path) for op in self._body.writes)


def _told(node: ast.AST) -> Hashable:
    """What an operator is told besides its operands."""
    match node:
        case ast.BinOp(op=operator):
            return type(operator).__name__
        case ast.FormattedValue(conversion=conversion):
            return conversion
    return None


def leaves(term: Term) -> Iterator[Op]:
    """The operations that a term rests on."""
    if isinstance(term, Op):
        yield term
    elif isinstance(term, tuple):
        for part in term:
            yield from leaves(part)
