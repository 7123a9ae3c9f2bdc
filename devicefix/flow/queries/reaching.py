"""Reaching definitions and their uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

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


def uses(body: Body) -> Mapping[Op, tuple[Op, ...]]:
    """By definition: the loads that it may reach."""
    found: defaultdict[Op, list[Op]] = defaultdict(list)
    for op in body.ops:
        if op.kind is Kind.LOAD and op.operands:
            for one in alternatives(op.operands[0]):
                found[one].append(op)
    return {one: tuple(loads) for one, loads in found.items()}
