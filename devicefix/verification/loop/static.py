"""The fixes of the rules, on a program as it is to be so far."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from devicefix.engine import AppliedGroup, Choice, EngineError, Rehearsal, Report
from devicefix.records import Place
from devicefix.verification.loop.draft import Draft
from devicefix.verification.loop.repairs import Repair
from devicefix.verification.loop.symptoms import Fault, Idle, Symptom

Rehearse = Callable[[Mapping[Path, bytes]], Rehearsal]
"""The fixes of a program in which files hold something else."""

_MOVING: Final = ("DFX1", "DFX4")
"""The families of rules that bring tensors together."""


class Rules:
    """Asks the rules about one draft after the other."""

    def __init__(self, rehearse: Rehearse) -> None:
        self._rehearse = rehearse

    def files(self) -> frozenset[str]:
        """The files that may be changed, by real path. Raises `EngineError`."""
        return self._rehearse({}).looked_at(())

    def report(self, draft: Draft, choice: Choice | None = None) -> Report:
        """What `apply` makes of ``draft``. Raises `EngineError`."""
        return self._rehearsal(draft).report(choice or Choice())

    def fixed(self, draft: Draft) -> Draft:
        """``draft`` with the safe fixes of what it holds; as it is where there are none."""
        try:
            return _with_changes(draft, self.report(draft))
        except EngineError:
            return draft

    def repairs(self, symptom: Symptom, draft: Draft) -> Iterator[Repair]:
        """The fixes that have to do with ``symptom``, safe or not: one group each.

        What the rules would do elsewhere is not done: of a program that is half moved they do not
        know yet what moves next.
        """
        if not isinstance(symptom, (Fault, Idle)):
            return
        try:
            rehearsal = self._rehearsal(draft)
            every = rehearsal.report(Choice(trusts_all=True)).groups
            for group in every:
                if _is_about(group, symptom):
                    others = frozenset(other.identity for other in every if other is not group)
                    alone = Choice(without=others, trusted=frozenset({group.identity}))
                    yield _repair(draft, group, rehearsal.report(alone))
        except EngineError:
            return

    def _rehearsal(self, draft: Draft) -> Rehearsal:
        return self._rehearse({Path(path): data for path, data in draft.texts.items()})


def _with_changes(draft: Draft, report: Report) -> Draft:
    texts = {result.path: change.after for result, change in report.changes}
    return draft.with_texts(texts) if texts else draft


def _is_about(group: AppliedGroup, symptom: Fault | Idle) -> bool:
    """Whether it moves something, and touches a line of the fault."""
    moving = any(code.startswith(_MOVING) for code in group.codes)
    if not moving:
        return False
    if isinstance(symptom, Idle):
        return True
    lines = {(os.path.realpath(f.path), f.line) for f in group.findings}
    return not lines.isdisjoint(_lines_of(symptom))


def _lines_of(fault: Fault) -> frozenset[tuple[str, int]]:
    """Where the operands on the wrong side were made, and where the program holds them."""
    places: list[Place] = []
    for stray in fault.strays:
        places += [one.at for one in (*stray.holders, *stray.owners)]
        places += [stray.created] if stray.created is not None else []
    return frozenset((os.path.realpath(place.file), place.line) for place in places)


def _repair(draft: Draft, group: AppliedGroup, report: Report) -> Repair:
    first = group.findings[0]
    text = draft.source(first.path).line_text(first.line)
    words = f"{', '.join(group.codes)} ({first.message})"
    place = Place(os.path.realpath(first.path), first.line, "", text)
    return Repair(_with_changes(draft, report), words, place)
