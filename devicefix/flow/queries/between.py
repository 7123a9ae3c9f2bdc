"""What may run between two operations."""

from __future__ import annotations

from devicefix.flow.ir import Body, Op


def between(body: Body, start: Op, end: Op) -> frozenset[Op]:
    """The operations on the ways that lead from ``start`` to ``end``, neither of which runs again
    in between; none where no way does."""
    after, _ = _reached(body, start, end, forward=True)
    before, arrives = _reached(body, end, start, forward=False)
    return frozenset(after & before) if arrives else frozenset()


def _reached(body: Body, begin: Op, stop: Op, *, forward: bool) -> tuple[set[Op], bool]:
    """What runs after ``begin`` (before it, where not ``forward``) up to ``stop`` or to ``begin``
    itself, and whether ``stop`` is there."""
    found: set[Op] = set()
    seen: set[int] = set()
    arrives = False
    ops = body.blocks[begin.block].ops
    queue = [(begin.block, ops[begin.at + 1 :] if forward else ops[: begin.at])]
    while queue:
        number, rest = queue.pop()
        for op in rest if forward else reversed(rest):
            if op is begin or op is stop:
                arrives = arrives or op is stop
                break
            found.add(op)
        else:
            block = body.blocks[number]
            for following in block.successors if forward else block.predecessors:
                if following not in seen:
                    seen.add(following)
                    queue.append((following, body.blocks[following].ops))
    return found, arrives
