"""Holds a verification against what was planted: is the defect found, and where?"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from devicefix.records import Place, Placement
from devicefix.records.observations import Kind
from devicefix.verification.request import Candidate, Request
from devicefix.verification.result import Difference, Role, Verdict, Verification
from devicefix.verification.supervision import Bounds
from devicefix.verification.trees import Tree
from devicefix.verification.verifying import Verifier
from tests.verification.defects.catalogue import Defect, Harmless, Program

DEVICE: Final = "sim:cuda"
BOUNDS: Final = Bounds(seconds=120)
REFUSED: Final = frozenset({Verdict.DIFFERS, Verdict.STILL_FAILS})
"""Verdicts that name a line."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a verification said about one defect, or about none."""

    program: str
    defect: str
    """Empty for the program as it should be."""
    kind: str
    verdict: str
    reason: str
    expected_on: str
    """``cpu``, ``device`` or ``either``."""
    found_on: str
    what: str
    before: str
    after: str
    place: str
    """``file:line`` of the first difference."""
    caught: bool
    right_line: bool | None
    """None where there is no line: the placement or the exit status tells."""
    coverage: float | None
    """The share of the arithmetic on the accelerator after the change."""
    compared: int
    masked: int
    seconds: float
    harmless: str = ""
    """The name of a form that is as good as the program as it should be."""


def request_for(program: Program) -> Request:
    """Run by this interpreter, on the CPU and on the simulated accelerator."""
    return Request(
        program.entry, program.arguments, sys.executable, devices=(DEVICE,), bounds=BOUNDS
    )


def outcomes(
    program: Program,
    defects: Iterable[Defect],
    whole: bool,
    right: bool = True,
    harmless: Iterable[Harmless] = (),
) -> Iterator[Outcome]:
    """The program as it should be (where ``right``), then each of the defects, then the other
    forms of it, with one baseline.

    A defect that the CPU shows is verified there only, unless ``whole``.
    """
    with Verifier(request_for(program), program.before) as verifier:
        if right:
            yield _outcome(program.name, verifier.verify(Candidate(program.after)))
        for defect in defects:
            brief = defect.on == "cpu" and not (whole or defect.coverage)
            found = verifier.verify(Candidate(defect.tree), () if brief else None)
            yield judged(defect, found)
        for form in harmless:
            found = verifier.verify(Candidate(form.tree))
            yield replace(_outcome(program.name, found), harmless=form.name)


def again(program: Program, wrong: Tree | None = None) -> tuple[Outcome, ...]:
    """The program held against itself, and what is ``wrong`` too, with a baseline of its own.

    Some of these programs use no device: nothing of them has to be there.
    """
    with Verifier(replace(request_for(program), coverage=0.0), program.before) as verifier:
        found = [verifier.verify(Candidate(program.before))]
        if wrong is not None:
            found.append(verifier.verify(Candidate(wrong), ()))
        return tuple(_outcome(program.name, one) for one in found)


def judged(defect: Defect, found: Verification) -> Outcome:
    """What ``found`` is worth."""
    first = _first(found)
    return _outcome(
        defect.program.name,
        found,
        defect=defect,
        caught=_is_caught(defect, found),
        right_line=None if first is None else _is_right(defect, first),
    )


def _outcome(
    program: str,
    found: Verification,
    defect: Defect | None = None,
    caught: bool = False,
    right_line: bool | None = None,
) -> Outcome:
    first = _first(found)
    guilty = [c.device for c in found.comparisons if c.difference is not None]
    return Outcome(
        program=program,
        defect="" if defect is None else defect.name,
        kind="" if defect is None else defect.kind,
        verdict=found.verdict.value,
        reason=found.reason,
        expected_on="" if defect is None else defect.on,
        found_on=guilty[0] if guilty else "",
        what=first.what if first is not None else "",
        before=first.before if first is not None else "",
        after=first.after if first is not None else "",
        place=_shown(first),
        caught=caught,
        right_line=right_line,
        coverage=_share(found),
        compared=sum(c.compared for c in found.comparisons),
        masked=sum(c.masked for c in found.comparisons),
        seconds=round(found.seconds, 1),
    )


def _is_caught(defect: Defect, found: Verification) -> bool:
    """By the verdict, on the device that shows it; where no value differs, by what was moved."""
    if defect.coverage:
        return found.verdict.lacks_moving
    where = _where(found)
    return found.verdict in REFUSED and defect.on in {where, "either"}


def _where(found: Verification) -> str:
    first = next((c for c in found.comparisons if c.difference is not None), None)
    if first is None:
        return ""
    return "cpu" if first.device == "cpu" else "device"


def _first(found: Verification) -> Difference | None:
    return next((c.difference for c in found.comparisons if c.difference is not None), None)


def _share(found: Verification) -> float | None:
    run = found.run(Role.AFTER, DEVICE)
    placement: Placement | None = run.placement if run is not None else None
    return placement.share if placement is not None else None


def _is_right(defect: Defect, first: Difference) -> bool:
    """Whether the first difference is where it may be."""
    if first.kind is Kind.LEFT:
        return any(first.what.startswith(name) for name in defect.left)
    if first.at_after is not None:
        return _is_among(first.at_after, defect.tree, defect.places)
    if first.at_before is not None:
        return _is_among(first.at_before, defect.program.before, defect.former)
    return defect.status


def _is_among(place: Place, tree: Tree, places: frozenset[tuple[str, int]]) -> bool:
    return (_relative(place.file, tree.root), place.line) in places


def _relative(file: str, root: Path) -> str:
    prefix = f"{root.as_posix()}/"
    return file.removeprefix(prefix)


def _shown(first: Difference | None) -> str:
    place = None if first is None else first.at_after or first.at_before
    if place is None:
        return ""
    parts = Path(place.file).parts
    below = [n for n, part in enumerate(parts) if part in {"before", "after"}]
    file = "/".join(parts[below[-1] + 1 :]) if below else parts[-1]
    return f"{file}:{place.line}"
