"""Was every use of what moves understood?

What the edits bring to the device is read elsewhere: below a ``lambda`` that a library calls, in a
coroutine, in a function that the evaluation never entered. A read that was not evaluated may need
its tensor on the CPU, or beside one that stays there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.values import Flag
from devicefix.judge.comparison import SCOPES, Comparison, Move, Objection, enclosing
from devicefix.source.walking import walk

NAME: Final = "use"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each new move, and each read of what it moves that nothing has evaluated."""
    for move in comparison.moves:
        if move.replaces is not None:
            continue
        for path, read in _reads(comparison, move):
            if _is_unseen(comparison, read):
                line = comparison.old_line(path, read)
                reason = (
                    f"`{ast.unparse(read)}` at {path}:{line} would also move, and its value is "
                    "unknown"
                )
                yield comparison.objection(NAME, move.path, move.device, reason, move.call)
                break


def _reads(comparison: Comparison, move: Move) -> Iterator[tuple[str, ast.expr]]:
    """Where the name or the attribute is read that a move is bound to."""
    target = _target(comparison, move)
    if isinstance(target, ast.Name):
        scope = next((n for n in enclosing(comparison.after, target) if _is_scope(n)), None)
        for node in walk(scope) if scope is not None else ():
            named = isinstance(node, ast.Name) and node.id == target.id
            if named and isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield move.path, node
    elif isinstance(target, ast.Attribute):
        for path, source in comparison.after.program.sources.items():
            for node in source.of_type(ast.Attribute):
                if node.attr == target.attr and isinstance(node.ctx, ast.Load):
                    yield path, node


def _target(comparison: Comparison, move: Move) -> ast.expr | None:
    """What the result of a move is bound to, if it is bound as it is."""
    above = comparison.after.parents.get(move.call)
    if isinstance(above, ast.Assign) and above.value is move.call and len(above.targets) == 1:
        return above.targets[0]
    return None


def _is_scope(node: ast.AST) -> bool:
    return isinstance(node, (*SCOPES, ast.Module))


def _is_unseen(comparison: Comparison, read: ast.expr) -> bool:
    """Whether nothing has evaluated a read that may happen on a machine with an accelerator."""
    if comparison.after.values(read):
        return False
    below: ast.AST = read
    for above in enclosing(comparison.after, read):
        if isinstance(above, (ast.If, ast.IfExp)):
            tests = comparison.after.values(above.test)
            decided = tests and all(isinstance(v, Flag) for v in tests)
            if decided and below is not above.test:
                return False
        if isinstance(above, (ast.Assert, ast.ExceptHandler)):
            return False
        if below is getattr(above, "annotation", None):
            return False
        if isinstance(above, ast.stmt) and _is_never_reached(comparison, above):
            return False
        below = above
    return True


def _is_never_reached(comparison: Comparison, statement: ast.stmt) -> bool:
    """Behind ``return`` or ``raise`` in its block."""
    around = comparison.after.parents.get(statement)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(around, name, None)
        if isinstance(block, list) and statement in block:
            ahead = block[: block.index(statement)]
            return any(
                isinstance(s, (ast.Return, ast.Raise, ast.Continue, ast.Break)) for s in ahead
            )
    return False
