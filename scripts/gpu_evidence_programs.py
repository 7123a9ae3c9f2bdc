"""What the parts of `gpu_evidence.py` do in processes of their own: a run needs its signals."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
EXAMPLES: Final = ROOT / "examples"
SHARE: Final = 0.02
"""By how much the share of the arithmetic on the device may differ between card and simulator."""
SECONDS: Final = 120
"""For one run of an example."""


def held(job: tuple[str, str, str, str, str]) -> dict[str, Any]:
    """One program on both sides: how it ends, what it prints and computes, and where."""
    from devicefix.records import placement_of
    from devicefix.records.unsimulated import missing_in

    name, state, folder, device, against = job
    what = f"{name} {state} apply"
    runs = _Runs(name, Path(folder), (device, against))
    here, there = runs.both
    messages = [run.failure.message if run.failure is not None else "" for run in runs.both]
    if missing_in(messages[1]):
        return {"compared": 0, "row": None, "differences": [], "missing": f"{what}: {messages[1]}"}
    found: list[tuple[str, str, str, str]] = []
    if messages[0] != messages[1]:
        found.append((what, "message", *(message or "no error" for message in messages)))
    shares = [placement_of(run.records).share for run in runs.both]
    if abs((shares[0] or 0.0) - (shares[1] or 0.0)) > SHARE:
        found.append((what, "placement", *(f"{share or 0.0:.1%} there" for share in shares)))
    compared = runs.compared()
    found += _unequal(what, compared)
    row = {
        "name": name,
        "state": state,
        "status": [here.ending.status, there.ending.status],
        "share": shares,
        "deviation": _off_by(compared.furthest),
        "perturbed": runs.perturbed,
        "seconds": [round(run.ending.seconds, 2) for run in runs.both],
    }
    return {"compared": compared.compared + 2, "row": row, "differences": found, "missing": ""}


class _Runs:
    """One program on both sides, and how far rounding alone leads the second astray."""

    def __init__(self, name: str, folder: Path, sides: tuple[str, str]) -> None:
        from devicefix.verification.result import Role

        self._name, self._folder, self._sides = name, folder, sides
        self.both = [self._run(Role.BEFORE, side) for side in sides]
        self.perturbed = 0

    def _run(self, role: Any, side: str, perturb: int | None = None) -> Any:
        from devicefix.verification import execution
        from devicefix.verification.request import Request
        from devicefix.verification.scratch import Scratch
        from devicefix.verification.supervision import Bounds
        from devicefix.verification.trees import Tree

        tree = Tree(self._folder.resolve())
        request = Request(self._name, (), sys.executable, bounds=Bounds(SECONDS))
        with Scratch(tree) as scratch:
            scratch.restore(tree)
            order = execution.Order(role, side, perturb=perturb)
            return execution.execute(request, scratch, tree.root, order)

    def compared(self) -> Any:
        """The card's run held against the simulator's by the rule of ``devicefix verify``."""
        from devicefix.verification.baseline import baseline_of
        from devicefix.verification.original import PERTURBED
        from devicefix.verification.result import Role

        baseline = baseline_of(self.both[1])
        found = self._against(baseline)
        if found.first is None:
            return found
        for seed in range(PERTURBED):
            baseline.widen(self._run(Role.PERTURBED, self._sides[1], seed))
        self.perturbed = PERTURBED
        return self._against(baseline)

    def _against(self, baseline: Any) -> Any:
        from devicefix.verification.comparing import compare
        from devicefix.verification.devices import is_real
        from devicefix.verification.equality import Standard
        from devicefix.verification.tolerance import tolerances

        dtypes = (events.precisions for run in self.both for events in run.observed)
        for tolerance in tolerances(None, is_real(self._sides[0]), frozenset().union(*dtypes)):
            found = compare(baseline, self.both[0], Standard(tolerance, across=True))
            if found.first is None:
                break
        return found


def _unequal(what: str, compared: Any) -> list[tuple[str, str, str, str]]:
    found = []
    for _, difference in compared.differences:
        if difference.kind is not None:
            place = difference.at_before or difference.at_after
            where = f"{what}, {difference.what}" + (f", line {place.line}" if place else "")
            found.append((where, "value", difference.after, difference.before))
    return found


def _off_by(furthest: Any) -> float | None:
    """How far a value is off, relative to its size; None where all bits are equal."""
    return furthest.relative if furthest is not None else None


def verified(job: tuple[str, str, str]) -> dict[str, Any]:
    """The verdict of ``devicefix verify`` on one example after the change, on a device."""
    from devicefix.verification.request import Candidate, Request
    from devicefix.verification.result import Role
    from devicefix.verification.supervision import Bounds
    from devicefix.verification.trees import Tree
    from devicefix.verification.verifying import verify

    name, after, device = job
    request = Request(name, (), sys.executable, devices=(device,), bounds=Bounds(SECONDS))
    found = verify(request, Tree(EXAMPLES), Candidate(Tree(Path(after).resolve())))
    run = found.run(Role.AFTER, device)
    placement = run.placement if run is not None else None
    deviations = [_off_by(c.furthest) for c in found.comparisons]
    return {
        "name": name,
        "verdict": found.verdict.value,
        "reason": found.reason,
        "excused": found.baseline is None,
        "compared": sum(c.compared for c in found.comparisons),
        "coverage": placement.share if placement is not None else None,
        "deviation": max((d for d in deviations if d is not None), default=None),
        "seconds": round(found.seconds, 1),
    }
