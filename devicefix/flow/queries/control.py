"""Under which conditions something runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devicefix.flow.ir import Body, Kind, Op


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
    above = body.once(_guarded)
    while (block := above[block]) >= 0:
        yield from _guards_of(body, block)
        block = body.immediate_dominators[block]


def _guarded(body: Body) -> Sequence[int]:
    """By block: the innermost one around it, itself included, that a branch leads to; -1: none."""
    found: list[int | None] = [None] * len(body.blocks)
    for block in range(len(body.blocks)):
        passed, at = list[int](), block
        while at >= 0 and found[at] is None:
            passed.append(at)
            at = body.immediate_dominators[at]
        innermost = found[at] if at >= 0 else -1
        for one in reversed(passed):
            innermost = one if _guards_of(body, one) else innermost
            found[one] = innermost
    return [one if one is not None else -1 for one in found]


def _guards_of(body: Body, block: int) -> list[tuple[Op, bool]]:
    """The answers of the branch right above a block that surely led to it."""
    above = body.immediate_dominators[block]
    end = body.blocks[above].ops[-1] if above >= 0 else None
    if end is None or end.kind is not Kind.BRANCH:
        return []
    return [(end, way == 0) for way in (0, 1) if _led(body, above, way, block)]


def _led(body: Body, number: int, way: int, block: int) -> bool:
    """Whether all ways to ``block`` go over this edge of the branch that ends ``number``."""
    edge = body.blocks[number].successors
    target = edge[way]
    if edge[0] == edge[1] or not body.dominates(target, block):
        return False
    others = [p for p in body.blocks[target].predecessors if p != number and body.is_reached(p)]
    return all(body.dominates(target, p) for p in others)
