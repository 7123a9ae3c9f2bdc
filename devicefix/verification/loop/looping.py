"""Run, repair, and run again, until the program computes on the accelerator or nothing helps."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from devicefix.records import Place
from devicefix.settings import Settings
from devicefix.verification.execution import Execution, Order
from devicefix.verification.loop.draft import Draft
from devicefix.verification.loop.outcome import Found, Mended, Step, Stuck
from devicefix.verification.loop.repairs import Repair, repairs
from devicefix.verification.loop.static import Rules
from devicefix.verification.loop.symptoms import (
    Broken,
    Clean,
    Fault,
    Idle,
    Symptom,
    is_more,
    is_progress,
    relocated,
    symptom_of,
)
from devicefix.verification.loop.words import decision, shown
from devicefix.verification.result import Role
from devicefix.verification.trees import Tree
from devicefix.verification.trying import moved

ROUNDS: Final = 20
"""How often the program is run to find out, where nobody says."""

_LEFT: Final = 3
"""Lines that are named."""

Run = Callable[[Tree, Order, str], Execution]
"""Runs the program from a tree, as `Verifier.ran`."""


@dataclass(frozen=True, slots=True)
class _Way:
    """A state of the program, and how it came about."""

    draft: Draft
    symptom: Symptom
    steps: tuple[Step, ...] = ()
    tried: tuple[str, ...] = ()
    """What did not help in the end."""
    before: _Way | None = None
    """The last one that was clean, too."""

    def on(self, repair: Repair, after: Symptom) -> _Way:
        """One repair further."""
        home = _lines_moved(self.draft, self.draft.on_disk)
        symptom = self.symptom.left if isinstance(self.symptom, Clean) else self.symptom
        said = shown(relocated(symptom, home)) if symptom is not None else ""
        step = Step(home(repair.at), repair.words, said)
        return replace(self, draft=repair.draft, symptom=after, steps=(*self.steps, step))


class Loop:
    """Repairs one program by what runs of it show."""

    def __init__(
        self, run: Run, rules: Rules, settings: Settings, device: str, rounds: int = ROUNDS
    ) -> None:
        self._run = run
        self._rules = rules
        self._settings = settings
        self._device = device
        self._rounds = rounds
        self._runs = 0
        self._known: set[frozenset[tuple[str, bytes]]] = set()
        """The states of the program that were run: what leads back to one is no way on."""

    def mend(self, draft: Draft) -> Found:
        """``draft`` with all repairs that brought it further. Raises `LaunchError`."""
        draft = self._rules.fixed(draft)
        found = self._found(_Way(draft, self._look(draft)))
        while (more := self._more(found)) is not None:
            found = more
        return self._told(found)

    def _found(self, way: _Way) -> _Way:
        """Where repairs lead as long as something is wrong."""
        tried: list[str] = []
        while isinstance(way.symptom, (Fault, Idle)):
            tried.clear()
            better = self._repaired(way.symptom, way.draft, tried)
            if better is None:
                break
            way = way.on(*better)
        return replace(way, tried=tuple(tried))

    def _more(self, way: _Way) -> _Way | None:
        """The same with less on the host; None where that is little, or nothing helps."""
        left = way.symptom.left if isinstance(way.symptom, Clean) else None
        for repair in self._proposed(left, way.draft) if left is not None else ():
            if self._runs >= self._rounds:
                return None
            if left is not None and _state(repair.draft) not in self._known:
                on = self._found(way.on(repair, self._look(repair.draft)))
                if is_more(left, on.symptom):
                    return replace(on, before=way)
        return None

    def _told(self, way: _Way) -> Found:
        is_over = isinstance(way.symptom, Clean) or (
            isinstance(way.symptom, Broken) and way.draft.texts
        )
        stuck = None if is_over else self._stuck(way.symptom, way.draft, way.tried)
        mended = Mended(self._runs, self._device, way.steps, stuck)
        return Found(way.draft, mended, self._told(way.before) if way.before is not None else None)

    def _repaired(
        self, symptom: Symptom, draft: Draft, tried: list[str]
    ) -> tuple[Repair, Symptom] | None:
        """The first repair with which the program comes further, and what is wrong then."""
        for repair in self._proposed(symptom, draft):
            if self._runs >= self._rounds:
                return None
            if _state(repair.draft) in self._known:
                continue
            after = self._look(repair.draft)
            if is_progress(symptom, after, _lines_moved(draft, repair.draft)):
                return repair, after
            tried.append(repair.words)
        return None

    def _proposed(self, symptom: Symptom, draft: Draft) -> Iterator[Repair]:
        yield from self._rules.repairs(symptom, draft)
        yield from repairs(symptom, draft, self._settings)

    def _look(self, draft: Draft) -> Symptom:
        self._runs += 1
        self._known.add(_state(draft))
        order = Order(Role.AFTER, self._device, provenance=True)
        return symptom_of(self._run(draft.tree, order, f"run {self._runs}, on {self._device}"))

    def _stuck(self, symptom: Symptom, draft: Draft, tried: tuple[str, ...]) -> Stuck:
        symptom = relocated(symptom, _lines_moved(draft, draft.on_disk))
        fault = symptom if isinstance(symptom, Fault) else None
        return Stuck(
            symptom=symptom,
            shown=shown(symptom),
            operand=fault.strays[0] if fault is not None and fault.strays else None,
            lines=symptom.lines[:_LEFT] if isinstance(symptom, Idle) else (),
            tried=tried,
            decision=decision(symptom, draft),
            exhausted=self._runs >= self._rounds,
        )


def _state(draft: Draft) -> frozenset[tuple[str, bytes]]:
    """What its files hold, but for those that are as they were."""
    return frozenset((path, draft.texts[path]) for path in draft.changed)


def _lines_moved(before: Draft, after: Draft) -> Callable[[Place], Place]:
    """Where a line of ``before`` is in ``after``."""

    def there(place: Place) -> Place:
        real = os.path.realpath(place.file)
        if real not in before.files or before.texts.get(real) == after.texts.get(real):
            return place
        line = moved(place.line, before.bytes_of(real), after.bytes_of(real))
        return replace(place, line=line)

    return there
