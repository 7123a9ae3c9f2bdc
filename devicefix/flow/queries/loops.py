"""What runs again and again, and what stays the same meanwhile."""

from __future__ import annotations

import ast

from devicefix.flow.ir import Body, Kind, Op
from devicefix.flow.queries.access import changes, path_of


def loop_around(body: Body, op: Op) -> ast.AST | None:
    """The innermost loop or comprehension that runs an operation again, if any."""
    repeated = (loop for loop in reversed(body.blocks[op.block].loops) if _repeats(body, loop, op))
    return next(repeated, None)


def in_every_turn(body: Body, loop: ast.AST, op: Op) -> bool:
    """Whether no turn of a loop goes on to the next one without an operation."""
    return all(body.dominates(op.block, end) for end in _ends(body, loop))


def _ends(body: Body, loop: ast.AST) -> list[int]:
    """The blocks that end a turn; the next one begins."""
    header = body.loops[loop][0] if loop in body.loops else -1
    above = body.blocks[header].predecessors if header >= 0 else []
    return [n for n in above if loop in body.blocks[n].loops and body.is_reached(n)]


def _repeats(body: Body, loop: ast.AST, op: Op) -> bool:
    """Whether the next turn may follow: behind ``break`` and ``return``, none does."""
    if loop not in body.loops:
        return True
    ends, seen, queue = set(_ends(body, loop)), {op.block}, [op.block]
    for number in queue:  # which grows
        if number in ends:
            return True
        inside = [n for n in body.blocks[number].successors if loop in body.blocks[n].loops]
        queue += [n for n in inside if n not in seen]
        seen.update(inside)
    return False


def is_invariant(body: Body, loop: ast.AST, read: Op) -> bool:
    """Whether a name, or what hangs on one, is the same in each turn of a loop.

    ``x.add_(1)`` changes ``x``, and so may all calls that get what an attribute hangs on.
    """
    path = path_of(read)
    inside = (op for block in body.blocks if loop in block.loops for op in block.ops)
    return path is not None and not any(changes(op, path) or _may_write(op, path) for op in inside)


def _may_write(op: Op, path: tuple[str, ...]) -> bool:
    if op.kind is not Kind.CALL:
        return False
    called, *given = op.operands
    holder = path_of(called.operands[0]) if called.kind is Kind.ATTRIBUTE else None
    if holder == path:
        return called.name.endswith("_")
    roots = [holder, *map(path_of, given)]
    return len(path) > 1 and path[:1] in roots
