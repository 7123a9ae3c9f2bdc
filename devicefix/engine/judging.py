"""Asking the judge about the groups that were applied to a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from devicefix.engine.choice import Identity
from devicefix.engine.made import Made
from devicefix.engine.origins import Places
from devicefix.findings import Applicability, Edit
from devicefix.judge import Left, judge
from devicefix.source import Program


def objections_to(
    before: Program,
    after: Program,
    made: Sequence[Made],
    ahead: Mapping[str, int],
    places: Places,
    left: Left,
) -> Mapping[Identity, str]:
    """The safe groups among ``made`` that the judge objects to, and why.

    ``ahead``: how many rounds each file had been through when ``before`` was looked at first;
    ``left``: what was found in ``after`` and has no safe fix.
    An objection that names no edit is one to all of them.
    """
    asked = [(at, m) for at, m in enumerate(made) if _is_safe(m) and _is_later(m, ahead)]
    if not asked:
        return {}
    edits = {
        path: _rounds(made, path, ahead.get(path, 0), places.rounds(path))
        for path in before.sources
        if places.rounds(path) > ahead.get(path, 0)
    }
    found: dict[Identity, str] = {}
    for objection in judge(before, after, edits, left):
        for at, one in asked:
            if not objection.edits or at in objection.edits:
                found.setdefault(one.identity, str(objection))
    return found


def _rounds(made: Sequence[Made], path: str, first: int, last: int) -> list[list[tuple[Edit, int]]]:
    """The edits of a file, round by round, each with the number of the first group that has it."""
    rounds: list[list[tuple[Edit, int]]] = []
    for number in range(first, last):
        edits: dict[Edit, int] = {}
        for at, one in enumerate(made):
            if one.rounds.get(path) == number:
                for edit in one.group.edits[path]:
                    edits.setdefault(edit, at)
        rounds.append(list(edits.items()))
    return rounds


def _is_safe(made: Made) -> bool:
    return made.group.applicability is Applicability.SAFE


def _is_later(made: Made, ahead: Mapping[str, int]) -> bool:
    """Whether it was made after the file parsed."""
    return any(made.rounds[path] >= ahead.get(path, 0) for path in made.rounds)
