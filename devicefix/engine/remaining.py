"""Which uses of CUDA are left, where they are, and why."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from devicefix.engine.groups import Triage
from devicefix.engine.origins import Places
from devicefix.engine.report import FileError, FileResult, Remaining, Remains
from devicefix.findings import CudaUse, Finding, Reason, Span
from devicefix.source import Source
from devicefix.time_limit import check_time

HARD_CODED: Final = "DFX2"
"""How the codes of the family begin that is about hard-coded CUDA."""
_LONGEST: Final = 60
"""Characters of what is written there."""
_Outcome = tuple[Finding, str | None]
"""A finding, and why it is left; None where it is to be fixed."""


def remains(results: Sequence[FileResult], errors: Iterable[FileError]) -> Remains:
    """What is left in all files of a run, and which of them could not be counted."""
    counted = frozenset(result.path for result in results if result.counted)
    failed = {r.path for r in results if not r.counted} | {
        p for e in errors for p in e.program or (e.path,)
    }
    uses = [use for result in results for use in result.remaining]
    uses.sort(key=lambda use: use.path)
    return Remains(tuple(uses), tuple(sorted(failed - counted)))


def remaining(
    triage: Triage, sources: Mapping[str, Source], places: Places, *, now: bool
) -> dict[str, tuple[Remaining, ...]]:
    """What one look at ``sources`` leaves, by file.

    ``now``: these texts are to be written, and their places count; else those of the texts that
    they come from.
    """
    told = _by_file(_outcomes(triage, _same if now else places.relocated))
    unheard = _by_file(triage.unheard)
    return {
        path: tuple(
            _placed(path, use, sources[path], places, now=now)
            for use in _left(path, uses, told.get(path, ()), unheard.get(path, ()))
        )
        for path, uses in triage.uses.items()
    }


def _outcomes(triage: Triage, placed: Callable[[Finding], Finding]) -> Iterator[_Outcome]:
    """The findings that are shown; early ones are about what comes before."""
    for finding, why in triage.outcomes(placed):
        if finding.fix is None or not finding.fix.early:
            yield finding, why


def _same(finding: Finding) -> Finding:
    return finding


def _by_file(found: Iterable[_Outcome]) -> dict[str, list[_Outcome]]:
    by_file: dict[str, list[_Outcome]] = {}
    for finding, why in found:
        edited = finding.fix.edits if finding.fix is not None else ()
        for path in {finding.path, *(edit.path for edit in edited if edit.path)}:
            by_file.setdefault(path, []).append((finding, why))
    return by_file


def _left(
    path: str, uses: Iterable[CudaUse], told: Sequence[_Outcome], unheard: Sequence[_Outcome]
) -> Iterator[CudaUse]:
    """Those of ``uses`` that nothing fixes, with what is told of them."""
    heard, silently = _Told(path, told), _Told(path, unheard)
    for use in uses:
        check_time()
        near = heard.at(use.name)
        about = [(f, why) for f, why in near if _is_about(f, use, path)]
        touching = [(f, why) for f, why in near if _touches(f, use, path)]
        if any(why is None for _, why in (*about, *touching)):
            continue
        if use.reason is not Reason.ASKED:
            near = silently.at(use.name)
            silent = [(f, why) for f, why in near if _is_about(f, use, path)]
            open_ = use.reason in (Reason.UNKNOWN, Reason.NEEDED)
            reports = about or (open_ and (touching or silent))
            if reports and not (use.reason is Reason.NEEDED and use.detail):
                finding, why = reports[0]
                use = replace(use, reason=Reason.REPORTED, detail=f"{finding.code}: {why}")
        yield use


class _Told:
    """What is told of a file, by what it reports and what it would replace there."""

    def __init__(self, path: str, outcomes: Sequence[_Outcome]) -> None:
        self._outcomes = outcomes
        self._spans = sorted(
            (span.start, span.end, number)
            for number, (finding, _) in enumerate(outcomes)
            for span in _spans(finding, path)
        )
        self._starts = [start for start, _, _ in self._spans]
        self._reach = [*itertools.accumulate((end for _, end, _ in self._spans), max)]
        """By span the last end of it and of those before."""

    def at(self, name: Span) -> list[_Outcome]:
        """What meets ``name``, in the order in which it was given."""
        found: set[int] = set()
        last = bisect_left(self._starts, name.end)
        while last and self._reach[last - 1] > name.start:
            last -= 1
            _, end, number = self._spans[last]
            if end > name.start:
                found.add(number)
        return [self._outcomes[number] for number in sorted(found)]


def _spans(finding: Finding, path: str) -> Iterator[Span]:
    if finding.path == path:
        yield finding.span
    yield from _replaced(finding, path)


def _replaced(finding: Finding, path: str) -> Iterator[Span]:
    edits = finding.fix.edits if finding.fix is not None else ()
    return (Span(e.start, e.end) for e in edits if (e.path or finding.path) == path)


def _is_about(finding: Finding, use: CudaUse, path: str) -> bool:
    """Whether it is the use itself that ``finding`` reports."""
    inside = use.span.start <= finding.span.start and finding.span.end <= use.span.end
    hard_coded = finding.path == path and finding.code.startswith(HARD_CODED)
    return hard_coded and inside and _meet(finding.span, use.name)


def _touches(finding: Finding, use: CudaUse, path: str) -> bool:
    """Whether an edit replaces what names CUDA, or a part of it."""
    return any(_meet(span, use.name) for span in _replaced(finding, path))


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _placed(path: str, use: CudaUse, source: Source, places: Places, *, now: bool) -> Remaining:
    start = use.name.start
    first = places.first[path].place(places.before(path, start))
    place = source.place(start) if now else first
    text, around = (source.text[s.start : s.end] for s in (use.name, use.span))
    call = " ".join(around.split())
    text = call if len(call) <= _LONGEST else " ".join(text.split())[:_LONGEST]
    new = places.wrote(path, start)
    return Remaining(path, place, text, use.reason, use.detail, first if now else None, new)
