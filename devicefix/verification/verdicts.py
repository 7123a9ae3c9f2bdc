"""What the comparisons of a verification amount to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from devicefix.records import Placement
from devicefix.verification.comparing import Compared
from devicefix.verification.result import Comparison, Verdict
from devicefix.verification.tolerance import Tolerance

_SEVERITY: Final = tuple(Verdict)
_LESS: Final = 0.05
"""A share of the arithmetic by which two runs may differ though nothing was moved away."""


def judged(
    device: str, found: Compared, tolerance: Tolerance, partial: bool, is_real: bool
) -> Comparison:
    """The comparison on ``device``."""
    return Comparison(
        device=device,
        verdict=_verdict(found, is_real),
        compared=found.compared,
        masked=found.masked,
        difference=found.first,
        deviation=found.deviation or None,
        tolerance=tolerance.words,
        partial=partial,
        notes=tuple(found.notes),
    )


def _verdict(found: Compared, is_real: bool) -> Verdict:
    first = found.first
    if first is None:
        return Verdict.PASS
    curves = is_real and first.kind is not None and found.began_alike
    return Verdict.DIVERGED if curves else Verdict.DIFFERS


def placed(
    comparison: Comparison, now: Placement, then: Placement | None, wanted: float | None
) -> Comparison:
    """``comparison``, unless too little of the arithmetic is on the accelerator.

    Args:
        comparison: On that device.
        now: Where the program computes after the change.
        then: And before it; None where that is not known.
        wanted: The least share; None for some, and no less than before.
    """
    share = now.share
    if comparison.verdict is not Verdict.PASS or share is None:
        return comparison
    before = then.share if then is not None else None
    least = wanted if wanted is not None else (before or 0.0) - _LESS
    if share > max(least, 0.0) or (wanted is not None and share >= wanted):
        return comparison
    return replace(
        comparison, verdict=Verdict.NOT_MOVED, notes=(_too_little(share, before), *comparison.notes)
    )


def _too_little(share: float, before: float | None) -> str:
    if share == 0:
        return "nothing is computed on the accelerator"
    then = f", {before:.0%} before" if before is not None else ""
    return f"only {share:.0%} of the arithmetic is on the accelerator{then}"


def worst(comparisons: Iterable[Comparison]) -> Verdict:
    """The most serious verdict among them."""
    return max((c.verdict for c in comparisons), key=_SEVERITY.index)


def sentence(verdict: Verdict, comparisons: Sequence[Comparison]) -> str:
    """Why the verdict is what it is."""
    guilty = next((c for c in comparisons if c.verdict is verdict), None)
    where = guilty.device if guilty is not None else ""
    first = guilty.difference if guilty is not None else None
    match verdict:
        case Verdict.PASS if any(c.partial for c in comparisons):
            return "all that was compared is the same; the time or memory allowed ended it"
        case Verdict.PASS:
            return "the program does the same after the change"
        case Verdict.NOT_MOVED:
            return f"the results are the same, but on {where} {_moved(guilty)}"
        case Verdict.DIFFERS | Verdict.DIVERGED if first is not None and first.kind is None:
            return f"on {where} the program ends differently after the change"
        case Verdict.DIFFERS:
            return f"on {where} it does not do the same after the change"
        case Verdict.DIVERGED:
            return f"on {where} it begins the same, and leaves the spread that rounding explains"
    return ""


def _moved(guilty: Comparison | None) -> str:
    return guilty.notes[0] if guilty is not None and guilty.notes else "too little is moved"
