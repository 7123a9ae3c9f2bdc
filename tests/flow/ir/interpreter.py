"""Runs a body of the intermediate representation, to hold it against Python itself.

Only what the generated programs need: an exception comes from a call that is a statement of its
own, or from ``raise``.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from devicefix.flow.ir import Block, Body, Kind, Op

_UNBOUND: Final = object()
_DONE: Final = object()
_OPERATORS: Final[Mapping[type[ast.AST], Callable[..., Any]]] = {
    ast.Add: operator.add,
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
}


class Interpreter:
    """``watch`` is told each load and each definition of a name, as it happens."""

    def __init__(self, body: Body, outer: Mapping[str, Any], watch: Callable[[Op], None]) -> None:
        self._body = body
        self._outer = outer
        self._watch = watch
        self._values: dict[Op, Any] = {}
        self._when: dict[Op, int] = {}
        self._iterators: dict[Op, Any] = {}
        self._caught: Exception | None = None

    def run(self, *arguments: Any) -> Any:
        given = iter(arguments)
        number, before = 0, -1
        while True:
            block = self._body.blocks[number]
            try:
                for op in block.ops:
                    value = next(given) if op.kind is Kind.ARGUMENT else self._do(op, before)
                    self._values[op] = value
                    self._when[op] = len(self._when) + max(self._when.values(), default=0) + 1
            except (ValueError, KeyError, UnboundLocalError) as error:
                self._caught = error
                handler = self._handler(block)
                if handler is None:
                    raise
                before, number = block.predecessors[0], handler
                continue
            end = block.ops[-1]
            if end.kind in (Kind.JUMP, Kind.RAISE) and end.operands:
                self._caught = self._values[end.operands[0]]
            if end.kind is Kind.RETURN:
                return self._values[end.operands[0]] if end.operands else None
            if end.kind is Kind.RAISE:
                assert self._caught is not None
                raise self._caught
            way = 0
            if end.kind is Kind.BRANCH:
                asked = self._values[end.operands[0]]
                way = 1 if asked is _DONE or (asked is not _DONE and not self._truth(end)) else 0
            before, number = number, block.successors[way]

    def _truth(self, end: Op) -> bool:
        if end.operands[0].kind is Kind.NEXT:
            return True
        return bool(self._values[end.operands[0]])

    def _handler(self, block: Block) -> int | None:
        above = [self._body.blocks[p] for p in block.predecessors]
        if len(above) == 1 and above[0].ops[-1].kind is Kind.MAY_RAISE:
            return above[0].successors[1]
        return None

    def _do(self, op: Op, before: int) -> Any:
        operands = op.operands
        match op.kind:
            case Kind.UNBOUND | Kind.DELETE:
                self._watch(op)
                return _UNBOUND
            case Kind.PHI if op.name:
                way = self._body.blocks[op.block].predecessors.index(before)
                return self._values.get(operands[way], _UNBOUND)
            case Kind.PHI:
                return self._values[max(operands, key=lambda o: self._when.get(o, -1))]
            case Kind.STORE | Kind.LOAD:
                self._watch(op)
                value = self._values[operands[0]]
                if value is _UNBOUND:
                    raise UnboundLocalError(op.name)
                return value
            case Kind.ENTER:
                return self._values[operands[0]]
            case Kind.BUILD:
                return tuple(self._values[o] for o in operands)
            case Kind.OUTER:
                return self._outer[op.name]
            case Kind.CONSTANT:
                assert isinstance(op.node, ast.Constant)
                return op.node.value
            case Kind.CALL:
                function, *given = (self._values[o] for o in operands)
                return function(*given)
            case Kind.NEXT:
                return self._next(op)
            case Kind.CAUGHT:
                return self._caught
            case Kind.COMPUTE:
                return self._computed(op)
        return None

    def _next(self, op: Op) -> Any:
        source = op.operands[0]
        key = (op, self._when[source])
        if self._iterators.get(op, (None, None))[0] != key:
            self._iterators[op] = (key, iter(self._values[source]))
        return next(self._iterators[op][1], _DONE)

    def _computed(self, op: Op) -> Any:
        values = [self._values[o] for o in op.operands]
        match op.node:
            case ast.BinOp(op=sign) | ast.AugAssign(op=sign):
                return _OPERATORS[type(sign)](*values)
            case ast.Compare(ops=[sign]):
                return _OPERATORS[type(sign)](*values)
            case ast.UnaryOp():
                return not values[0]
            case ast.ExceptHandler():
                return isinstance(values[0], values[1])
        raise AssertionError(ast.dump(op.node))
