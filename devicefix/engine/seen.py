"""Findings that rest on what runs have seen: what the sources say by themselves outranks them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from devicefix.engine.groups import NO_FIX, grouped
from devicefix.findings import Applicability, Finding, Span

RESTS_ON_A_RUN: Final = "it depends on values that were seen in a run"
_IN_A_RUN: Final = "seen in a run"
"""What the reasons of decisions say already that flow knows to rest on one."""
COMES_LATER: Final = "it depends on values that were seen in a run, and safe fixes come first"

_Place = tuple[str, Span]


def with_seen(plain: Sequence[Finding], seen: Sequence[Finding]) -> list[Finding]:
    """What is found with evidence, where that takes no safe fix away.

    Args:
        plain: The findings without evidence.
        seen: Those with it.

    Returns:
        All safe groups of ``plain``, and what of ``seen`` does not touch them. Whatever is not
        found in the same way without evidence is marked, and its fix is unsafe at the most.
    """
    known = set(map(_essence, plain))
    safe = [group for group in grouped(plain) if group.applicability is Applicability.SAFE]
    kept = list(dict.fromkeys(member for group in safe for member in group.members))
    taken = {place for group in safe for place in _places(group.members)}
    others = [f for f in seen if f.fix is None and (f.path, f.span) not in taken]
    for group in grouped(seen):
        touched = not taken.isdisjoint(_places(group.members))
        others += filter(None, (_later(m, taken) if touched else m for m in group.members))
    kept += (f if _essence(f) in known else _marked(f) for f in others)
    told = {(f.path, f.span) for f in kept}
    return [*kept, *_left(plain, told)]


def _later(finding: Finding, taken: set[_Place]) -> Finding | None:
    """``finding`` where safe fixes come first that others of its decision touch."""
    if finding.fix is None or not taken.isdisjoint(_places([finding])):
        return None
    fix = replace(finding.fix, applicability=Applicability.DISPLAY)
    return replace(finding, fix=fix, advice=COMES_LATER)


def _left(plain: Sequence[Finding], told: set[_Place]) -> Iterator[Finding]:
    """What only the sources say, and nothing else is said of."""
    yield from (f for f in plain if f.fix is None and (f.path, f.span) not in told)
    for group in grouped(plain):
        if told.isdisjoint((member.path, member.span) for member in group.members):
            yield from group.members


def _places(members: Iterable[Finding]) -> Iterator[_Place]:
    for member in members:
        yield member.path, member.span
        for edit in member.fix.edits if member.fix is not None else ():
            yield edit.path or member.path, Span(edit.start, edit.end)


def _essence(finding: Finding) -> tuple[object, ...]:
    """What makes two findings the same, whatever their decisions are called."""
    place = finding.path, finding.span, finding.code
    if finding.fix is None:
        return (*place, finding.message)
    return (*place, finding.fix.edits, finding.fix.applicability)


def _marked(finding: Finding) -> Finding:
    """``finding``, which rests on a run, says so."""
    fix, why = finding.fix, finding.advice or ("" if finding.fix is not None else NO_FIX)
    if fix is not None and fix.applicability is Applicability.SAFE:
        fix = replace(fix, applicability=Applicability.UNSAFE)
    if _IN_A_RUN not in why:
        why = f"{why}; {RESTS_ON_A_RUN}" if why else RESTS_ON_A_RUN
    return replace(finding, fix=fix, advice=why, seen=True)
