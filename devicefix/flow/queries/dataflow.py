"""What holds at a moment on every way that leads to it, or from it on.

Forward and backward must-analyses with one bit (A. Aho, M. Lam, R. Sethi, J. Ullman, "Compilers",
section 9.2): the meet of ways is "and", so the answer begins as true and only falls: at most once
for each block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from devicefix.flow.ir import Body, Kind, Op, Point

Transfer: TypeAlias = Callable[[Op], bool | None]
"""What is true behind an operation; None where it changes nothing."""


def holds_before(body: Body, point: Point, transfer: Transfer, at_entry: bool = False) -> bool:
    """Whether it is true at ``point`` on all ways from the entry; true where none leads there."""
    number, at = point
    if not body.is_reached(number):
        return True
    state = _entered(body, transfer, at_entry)[number]
    return _through(body.blocks[number].ops[:at], state, transfer)


def holds_at_return(body: Body, transfer: Transfer, at_entry: bool = False) -> bool:
    """Whether it is true wherever the scope returns; true where it always raises."""
    states = _entered(body, transfer, at_entry)
    return all(
        _through(block.ops, states[block.number], transfer)
        for block in body.blocks
        if body.is_reached(block.number) and block.ops and block.ops[-1].kind is Kind.RETURN
    )


def holds_after(body: Body, point: Point, transfer: Transfer, at_exit: bool = False) -> bool:
    """The same for what comes: whether, on all ways from ``point`` on, the first operation of
    which ``transfer`` says anything makes it true. ``at_exit``: where there is none."""
    states = [True] * len(body.blocks)
    changed = True
    while changed:
        changed = False
        for block in reversed(body.blocks):
            state = _through(
                reversed(block.ops), _left(body, block.number, states, at_exit), transfer
            )
            if state is not states[block.number]:
                states[block.number], changed = state, True
    number, at = point
    behind = reversed(body.blocks[number].ops[at:])
    return _through(behind, _left(body, number, states, at_exit), transfer)


def _left(body: Body, number: int, states: list[bool], at_exit: bool) -> bool:
    successors = body.blocks[number].successors
    return all(states[s] for s in successors) if successors else at_exit


def _entered(body: Body, transfer: Transfer, at_entry: bool) -> list[bool]:
    """By block: what is true at its beginning."""
    entered = [True] * len(body.blocks)
    left = [True] * len(body.blocks)
    entered[0] = at_entry
    queue = [block.number for block in body.blocks if body.is_reached(block.number)]
    while queue:
        changed = []
        for number in queue:
            block = body.blocks[number]
            if number:
                above = [p for p in block.predecessors if body.is_reached(p)]
                entered[number] = all(left[p] for p in above)
            state = _through(block.ops, entered[number], transfer)
            if state is not left[number]:
                left[number] = state
                changed += block.successors
        queue = sorted(set(changed))
    return entered


def _through(ops: Iterable[Op], state: bool, transfer: Transfer) -> bool:
    for op in ops:
        known = transfer(op)
        if known is not None:
            state = known
    return state
