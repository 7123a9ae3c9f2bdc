"""Under which conditions something runs."""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.flow.ir import Body, Kind, Op
from devicefix.flow.ir.dominance import dominates


def guards(body: Body, block: int) -> tuple[tuple[Op, bool], ...]:
    """The branches that surely were taken before a block runs, outermost first, each with the
    answer that led there.

    Below ``if a:`` that is ``a``; behind ``if not a: return`` it is, too. What a loop asks counts
    inside its body.
    """
    return tuple(reversed([*_outward(body, block)]))


def nearest_guard(body: Body, block: int) -> tuple[Op, bool] | None:
    """The innermost one of `guards`."""
    return next(_outward(body, block), None)


def _outward(body: Body, block: int) -> Iterator[tuple[Op, bool]]:
    above = body.immediate_dominators
    current = block
    while (previous := above[current]) >= 0:
        end = body.blocks[previous].ops[-1]
        if end.kind is Kind.BRANCH:
            yield from ((end, n == 0) for n in (0, 1) if _led(body, previous, n, current))
        current = previous


def _led(body: Body, number: int, way: int, block: int) -> bool:
    """Whether all ways to ``block`` go over this edge of the branch that ends ``number``."""
    edge = body.blocks[number].successors
    target = edge[way]
    if edge[0] == edge[1] or not dominates(body.immediate_dominators, target, block):
        return False
    others = [p for p in body.blocks[target].predecessors if p != number and body.is_reached(p)]
    return all(dominates(body.immediate_dominators, target, p) for p in others)
