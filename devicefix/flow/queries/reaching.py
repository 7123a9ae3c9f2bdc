"""Reaching definitions and their uses."""

from __future__ import annotations

import ast

from devicefix.flow.ir import DEFINITIONS, Body, Kind, Op, Point


def definition(body: Body, name: str, point: Point) -> Op | None:
    """What a variable of the scope was bound by at a moment: one definition, or a phi of several;
    None where nothing leads there."""
    number, at = point
    while number >= 0 and body.is_reached(number):
        for op in reversed(body.blocks[number].ops[:at]):
            if op.kind in DEFINITIONS and op.name == name:
                return op
        number = body.immediate_dominators[number]
        at = len(body.blocks[number].ops) if number >= 0 else 0
    return None


def alternatives(op: Op) -> frozenset[Op]:
    """The definitions that a phi stands for; of other definitions, themselves."""
    found, queue = {op}, [op]
    while queue:
        one = queue.pop()
        for operand in one.operands if one.kind is Kind.PHI else ():
            if operand not in found:
                found.add(operand)
                queue.append(operand)
    return frozenset(one for one in found if one.kind is not Kind.PHI)


def loads_of(body: Body, bound: Op) -> tuple[Op, ...]:
    """The loads that a definition may reach: its uses."""
    same = (op for op in body.ops if op.kind is Kind.LOAD and op.name == bound.name and op.operands)
    return tuple(op for op in same if bound in alternatives(op.operands[0]))


def users_of(body: Body, value: Op) -> tuple[Op, ...]:
    """The operations that get the result of another as an operand; not the tuple that nobody gets
    in ``a, b = value, other``."""
    found = [op for op in body.ops if value in op.operands]
    return tuple(op for op in found if op.kind is not Kind.BUILD or users_of(body, op))


def arguments_behind(body: Body, tree: ast.AST) -> frozenset[Op]:
    """The arguments of a function that an expression is computed from: a backward slice."""
    waiting, met = [*body.of(tree)], set[Op]()
    while waiting:
        op = waiting.pop()
        if op not in met:
            met.add(op)
            waiting += op.operands
    return frozenset(op for op in met if op.kind is Kind.ARGUMENT)
