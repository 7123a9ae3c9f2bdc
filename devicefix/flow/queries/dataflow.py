"""What holds at a moment on every way that leads to it, or from it on.

Forward and backward must-analyses with one bit (A. Aho, M. Lam, R. Sethi, J. Ullman, "Compilers",
section 9.2): the meet of ways is "and", so the answer begins as true and only falls: at most once
for each block. What a block does to the bit is summed up first: the ways through it are many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct

from devicefix.flow.ir import Block, Body, Kind, Op, Point

Transfer: TypeAlias = Callable[[Op], bool | None]
"""What is true behind an operation; None where it changes nothing."""


class Forward(Struct, frozen=True):
    """What is true where each block of a body begins, and so at each of its moments."""

    body: Body
    transfer: Transfer
    entered: Sequence[bool]
    """By block: what is true on all ways from the entry; true where none leads there."""

    @classmethod
    def of(cls, body: Body, transfer: Transfer, at_entry: bool = False) -> Forward:
        """Solve it; ``at_entry``: what is true when the scope is entered."""
        effects = [_through(block.ops, None, transfer) for block in body.blocks]
        return cls(body, transfer, _entered(body, effects, at_entry))

    def before(self, point: Point) -> bool:
        """Whether it is true at ``point`` on all ways from the entry."""
        number, at = point
        if not self.body.is_reached(number):
            return True
        ops = self.body.blocks[number].ops[:at]
        return bool(_through(ops, self.entered[number], self.transfer))

    def at_return(self) -> bool:
        """Whether it is true wherever the scope returns; true where it always raises."""
        return all(
            _through(block.ops, self.entered[block.number], self.transfer)
            for block in self.body.blocks
            if self.body.is_reached(block.number) and _returns(block)
        )


class Backward(Struct, frozen=True):
    """The same for what comes: whether, on all ways on, the first operation of which ``transfer``
    says anything makes it true."""

    body: Body
    transfer: Transfer
    left: Sequence[bool]
    """By block: what is true where it ends."""

    @classmethod
    def of(cls, body: Body, transfer: Transfer, at_exit: bool = False) -> Backward:
        """Solve it; ``at_exit``: what is true where no operation says anything."""
        effects = [_through(reversed(block.ops), None, transfer) for block in body.blocks]
        return cls(body, transfer, _left(body, effects, at_exit))

    def after(self, point: Point) -> bool:
        """Whether it is true on all ways from ``point`` on."""
        number, at = point
        behind = reversed(self.body.blocks[number].ops[at:])
        return bool(_through(behind, self.left[number], self.transfer))


def _returns(block: Block) -> bool:
    return bool(block.ops) and block.ops[-1].kind is Kind.RETURN


def _entered(body: Body, effects: Sequence[bool | None], at_entry: bool) -> list[bool]:
    """By block: what is true at its beginning. ``effects``: what it is behind each of them."""
    entered = [True] * len(body.blocks)
    left = [True] * len(body.blocks)
    entered[0] = at_entry
    queue = [block.number for block in body.blocks if body.is_reached(block.number)]
    while queue:
        changed: set[int] = set()
        for number in queue:
            block, effect = body.blocks[number], effects[number]
            if number:
                entered[number] = all(left[p] for p in block.predecessors if body.is_reached(p))
            state = entered[number] if effect is None else effect
            if state is not left[number]:
                left[number] = state
                changed.update(block.successors)
        queue = sorted(changed)
    return entered


def _left(body: Body, effects: Sequence[bool | None], at_exit: bool) -> list[bool]:
    """By block: what is true at its end. ``effects``: what it is before each of them."""
    entered = [True] * len(body.blocks)
    left = [True] * len(body.blocks)
    changed = True
    while changed:
        changed = False
        for block in reversed(body.blocks):
            number, effect = block.number, effects[block.number]
            following = block.successors
            left[number] = all(entered[s] for s in following) if following else at_exit
            state = left[number] if effect is None else effect
            if state is not entered[number]:
                entered[number], changed = state, True
    return left


def _through(ops: Iterable[Op], state: bool | None, transfer: Transfer) -> bool | None:
    for op in ops:
        known = transfer(op)
        if known is not None:
            state = known
    return state
