"""Does all that meets move on the same conditions?

A model on ``torch.device("cuda" if torch.cuda.is_available() else "cpu")`` beside inputs that a
flag moves as well: where there is an accelerator and the flag is off, they are in two places.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from devicefix.flow.values import Device, Flag
from devicefix.judge.checks.flags import atoms
from devicefix.judge.checks.places import by_group
from devicefix.judge.comparison import Comparison, Move, Objection
from devicefix.judge.slices import Slicer
from devicefix.time_limit import check_time

NAME: Final = "condition"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each new move that happens where one that it meets does not."""
    if not comparison.moves or not comparison.after.complete:
        return
    conditions = _Conditions(comparison)
    for its in by_group(comparison, comparison.after.groups, comparison.moves).values():
        asked = {move: conditions.of(move.device) for move in its}
        every = frozenset[str]().union(*asked.values())
        for move, own in asked.items():
            if every - own and _is_new(comparison, move):
                flags = ", ".join(sorted(every - own))
                reason = f"depending on `{flags}`, the other operand may stay on the CPU"
                yield comparison.objection(NAME, move.path, move.device, reason, move.call)


def _is_new(comparison: Comparison, move: Move) -> bool:
    """Whether nothing moved before where a device is named now; ``x.device`` is no new one."""
    return move.replaces is None and not _follows(comparison, move.device)


def _follows(comparison: Comparison, device: ast.expr) -> bool:
    values = comparison.after.values(device)
    return not values or all(isinstance(v, Device) and v.nodes for v in values)


class _Conditions:
    """What besides the presence of an accelerator decides that a device is one."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._slicer = Slicer(comparison.after)

    def of(self, device: ast.expr) -> frozenset[str]:
        """The options and constants that can make ``device`` the CPU."""
        found: set[str] = set()
        known: set[ast.expr] = set()
        waiting: list[ast.expr] = [device]
        while waiting:
            tree = waiting.pop()
            if tree in known or (isinstance(tree, ast.Attribute) and self._follows(tree)):
                continue
            known.add(tree)
            match tree:
                case ast.IfExp(test=test, body=body, orelse=other):
                    found |= self._flags(atoms(test))
                    waiting += (body, other)
                case ast.Call(args=[named]):
                    waiting.append(named)
                case ast.Name() | ast.Attribute():
                    waiting += self._sources(tree)
        return frozenset(found)

    def _follows(self, device: ast.expr) -> bool:
        return _follows(self._comparison, device)

    def _sources(self, tree: ast.expr) -> list[ast.expr]:
        given = self._slicer.given(tree) if isinstance(tree, ast.Name) else ()
        return [*(self._slicer.definitions(tree) or ()), *given]

    def _flags(self, asked: Iterable[ast.expr]) -> set[str]:
        """What these come from, but for the presence of an accelerator."""
        found: set[str] = set()
        known: set[ast.expr] = set()
        waiting = [*asked]
        while waiting:
            atom = waiting.pop()
            named = isinstance(atom, (ast.Name, ast.Attribute))
            if atom in known or not named or self._is_presence(atom):
                continue
            check_time()
            known.add(atom)
            text, sources = ast.unparse(atom), self._sources(atom)
            if not sources:
                found.add(text)
            for part in (p for source in sources for p in atoms(source)):
                if not isinstance(part, ast.Constant):
                    waiting.append(part)
                elif part.value is not True:
                    found.add(f"{text}={part.value!r}")
        return found

    def _is_presence(self, atom: ast.expr) -> bool:
        """Whether it says if there is an accelerator, and nothing else."""
        values = self._comparison.after.values(atom)
        return bool(values) and all(isinstance(v, Flag) and v.pure for v in values)
