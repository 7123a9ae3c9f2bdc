"""Does all that meets move on the same conditions?

A model on ``torch.device("cuda" if torch.cuda.is_available() else "cpu")`` beside inputs that a
flag moves as well: where there is an accelerator and the flag is off, they are in two places.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.values import Device, Flag
from devicefix.judge.checks.flags import atoms
from devicefix.judge.checks.places import by_group
from devicefix.judge.comparison import Comparison, Move, Objection
from devicefix.judge.slices import Slicer

NAME: Final = "condition"
_DEPTH: Final = 8


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
                reason = f"`{flags}` may keep on the CPU what it is combined with"
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

    def of(self, device: ast.expr, depth: int = 0) -> frozenset[str]:
        """The options and constants that can make ``device`` the CPU."""
        found: set[str] = set()
        if depth > _DEPTH or (isinstance(device, ast.Attribute) and self._follows(device)):
            return frozenset()
        match device:
            case ast.IfExp(test=test, body=body, orelse=other):
                found.update(*(self._flags(atom, depth) for atom in atoms(test)))
                found |= self.of(body, depth + 1) | self.of(other, depth + 1)
            case ast.Call(args=[named]):
                found |= self.of(named, depth + 1)
            case ast.Name() | ast.Attribute():
                for value in self._sources(device):
                    found |= self.of(value, depth + 1)
        return frozenset(found)

    def _follows(self, device: ast.expr) -> bool:
        return _follows(self._comparison, device)

    def _sources(self, tree: ast.Name | ast.Attribute) -> list[ast.expr]:
        given = self._slicer.given(tree) if isinstance(tree, ast.Name) else ()
        return [*(self._slicer.definitions(tree) or ()), *given]

    def _flags(self, atom: ast.expr, depth: int) -> frozenset[str]:
        values = self._comparison.after.values(atom)
        asks = bool(values) and all(isinstance(v, Flag) and v.pure for v in values)
        if depth > _DEPTH or asks or not isinstance(atom, (ast.Name, ast.Attribute)):
            return frozenset()
        text = ast.unparse(atom)
        found: set[str] = set()
        sources = self._sources(atom)
        for part in (p for source in sources for p in atoms(source)):
            if isinstance(part, ast.Constant):
                found |= set() if part.value is True else {f"{text}={part.value!r}"}
            else:
                found |= self._flags(part, depth + 1)
        return frozenset(found) if sources else frozenset((text,))
