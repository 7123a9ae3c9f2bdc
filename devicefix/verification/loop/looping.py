"""Run, repair, and run again, until the program computes on the accelerator or nothing helps."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
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

Run = Callable[[Tree, Order, str], Execution]
"""Runs the program from a tree, as `Verifier.ran`."""


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
        symptom, steps, tried = self._look(draft), list[Step](), list[str]()
        while isinstance(symptom, (Fault, Idle)):
            tried.clear()
            better = self._repaired(symptom, draft, tried)
            if better is None:
                break
            repair, after = better
            home = _lines_moved(draft, draft.on_disk)
            steps.append(Step(home(repair.at), repair.words, shown(relocated(symptom, home))))
            draft, symptom = repair.draft, after
        is_over = isinstance(symptom, Clean) or (isinstance(symptom, Broken) and draft.texts)
        stuck = None if is_over else self._stuck(symptom, draft, tried)
        return Found(draft, Mended(self._runs, self._device, tuple(steps), stuck))

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

    def _stuck(self, symptom: Symptom, draft: Draft, tried: list[str]) -> Stuck:
        symptom = relocated(symptom, _lines_moved(draft, draft.on_disk))
        fault = symptom if isinstance(symptom, Fault) else None
        return Stuck(
            symptom=symptom,
            shown=shown(symptom),
            operand=fault.strays[0] if fault is not None and fault.strays else None,
            lines=symptom.lines if isinstance(symptom, Idle) else (),
            tried=tuple(tried),
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
