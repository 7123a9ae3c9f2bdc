"""What still reads a variable after a moment."""

from __future__ import annotations

from collections.abc import Set

from devicefix.flow.ir import Body, Kind, Op, Point


def reads_after(body: Body, name: str, point: Point, ends: Set[Op] = frozenset()) -> tuple[Op, ...]:
    """The loads of a variable that may see the value which it has at ``point``.

    A way is left at one of ``ends``, too. Not those of functions inside the scope, which read it at
    any time: see ``Body.shared``.
    """
    found: list[Op] = []
    seen: set[int] = set()
    queue = [point, *_handlers(body, point[0])]
    while queue:
        number, at = queue.pop()
        if _bound(body.blocks[number].ops[at:], name, found, ends):
            continue
        for successor in body.blocks[number].successors:
            if successor not in seen:
                seen.add(successor)
                queue.append((successor, 0))
    return tuple(dict.fromkeys(found))


def _handlers(body: Body, number: int) -> list[Point]:
    """Where what the rest of a block raises leads to."""
    above = [body.blocks[p] for p in body.blocks[number].predecessors]
    raising = len(above) == 1 and above[0].ops[-1].kind is Kind.MAY_RAISE
    return [(above[0].successors[1], 0)] if raising else []


def _bound(ops: list[Op], name: str, found: list[Op], ends: Set[Op]) -> bool:
    """Go through operations; whether one of them binds the variable anew, or is an end."""
    for op in ops:
        if op.name == name:
            if op.kind is Kind.LOAD:
                found.append(op)
                if op in ends:
                    return True
            elif op.kind is Kind.STORE or op.kind is Kind.DELETE:
                return True
    return False


def is_last_read(body: Body, load: Op) -> bool:
    """Whether nothing reads the variable's value any more once ``load`` has."""
    alone = load.name not in body.shared and not body.dynamic
    return alone and not reads_after(body, load.name, (load.block, load.at + 1))
