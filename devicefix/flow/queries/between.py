"""What may run between operations."""

from __future__ import annotations

from collections.abc import Collection

from devicefix.flow.ir import Body, Op
from devicefix.time_limit import check_time


def between(body: Body, starts: Collection[Op], end: Op, *, again: bool = False) -> frozenset[Op]:
    """The operations on the ways that lead from one of ``starts`` to ``end``, where no other of
    these runs in between; none where no way does. ``again``: ``end`` may run in between."""
    stops = frozenset(starts if again else (*starts, end))
    after, ended = _reached(body, starts, stops, forward=True)
    if end not in after | ended:
        return frozenset()
    before, _ = _reached(body, (end,), stops, forward=False)
    return frozenset(after & before)


def _reached(
    body: Body, begins: Collection[Op], stops: frozenset[Op], *, forward: bool
) -> tuple[set[Op], set[Op]]:
    """What runs after ``begins`` (before them, where not ``forward``) up to one of ``stops``, and
    which of these were met."""
    found: set[Op] = set()
    met: set[Op] = set()
    seen: set[int] = set()
    queue = [(op.block, op.at + 1 if forward else op.at) for op in begins]
    while queue:
        check_time()
        number, at = queue.pop()
        block = body.blocks[number]
        for op in block.ops[at:] if forward else reversed(block.ops[:at]):
            if op in stops:
                met.add(op)
                break
            found.add(op)
        else:
            for following in block.successors if forward else block.predecessors:
                if following not in seen:
                    seen.add(following)
                    queue.append((following, 0 if forward else len(body.blocks[following].ops)))
    return found, met
