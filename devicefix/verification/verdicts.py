"""What the comparisons of a verification amount to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final

from devicefix.records import Placement
from devicefix.verification.comparing import Compared
from devicefix.verification.endings import ends_alike, is_sound, last_words
from devicefix.verification.execution import Execution
from devicefix.verification.moving import shortage
from devicefix.verification.result import Comparison, Difference, Verdict
from devicefix.verification.tolerance import Tolerance

_SEVERITY: Final = tuple(Verdict)


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
        furthest=found.furthest,
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

    The arguments are those of `shortage`.
    """
    if comparison.verdict is not Verdict.PASS:
        return comparison
    found = shortage(now, then, wanted)
    if found is None:
        return comparison
    return replace(comparison, verdict=found.verdict, notes=(found.words, *comparison.notes))


def ended_so(
    comparison: Comparison, before: Execution, after: Execution, roots: tuple[Path, Path]
) -> Comparison:
    """``comparison``, in which ``after`` ends otherwise than the baseline, beside ``before``.

    Args:
        comparison: On a device where the program does not come to the same end after the change.
        before: The program before the change on the same device.
        after: And after it.
        roots: Of the trees that the two ran from.
    """
    if is_sound(before) or comparison.difference is None:
        return comparison
    words = last_words(before)
    failure = before.failure
    told = replace(
        comparison.difference,
        before=words or f"exit status {before.ending.status}",
        after=last_words(after) or comparison.difference.after,
        at_before=failure.at if failure is not None else None,
    )
    verdict = Verdict.STILL_FAILS if ends_alike(before, after, roots) else comparison.verdict
    return replace(comparison, verdict=verdict, difference=told)


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
            return "everything that was compared is the same; --timeout or --memory stopped the run"
        case Verdict.PASS:
            return "the program behaves the same after the change"
        case Verdict.STILL_FAILS:
            return f"on {where} it still fails, as before the change{_at(first)}"
        case Verdict.NOT_MOVED | Verdict.PARTLY_MOVED:
            return f"the results are the same, but on {where} {_moved(guilty)}"
        case Verdict.DIFFERS | Verdict.DIVERGED if first is not None and first.kind is None:
            return f"on {where} the program ends differently after the change"
        case Verdict.DIFFERS:
            return f"on {where} the program behaves differently after the change"
        case Verdict.DIVERGED:
            return (
                f"on {where} the results agree at first, then differ by more than rounding explains"
            )
    return ""


def _at(first: Difference | None) -> str:
    """What it fails with, and where."""
    if first is None:
        return ""
    place = first.at_after
    where = f" at {PurePath(place.file).name}:{place.line}" if place is not None else ""
    return f": {first.what}{where}"


def _moved(guilty: Comparison | None) -> str:
    return (
        guilty.notes[0]
        if guilty is not None and guilty.notes
        else ("not enough runs on the device")
    )
