"""What runs of a program have repaired, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TextIO

from devicefix.records.placement import HOST
from devicefix.reporting.counting import counted
from devicefix.reporting.places import near, short_where, source_of
from devicefix.reporting.terminal import console, printable
from devicefix.reporting.text import show_apply
from devicefix.reporting.verify_text import show_verification
from devicefix.verification.acceptance import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devicefix.reporting.account import Account
    from devicefix.verification.loop.outcome import Mended, Stuck

_TRIED: Final = 5


def show(account: Account, out: TextIO) -> None:
    """The repairs and what called for each, the proof, or where it ended; what was written."""
    found, mended = account.acceptance, account.mended
    assert found is not None
    assert mended is not None
    screen = console(out)
    for line, style in _lines(mended):
        screen.print(printable(line), style=style)
    verification = found.verification or found.refusal
    if verification is not None:
        show_verification(verification, out)
    accepted = found.decision in {Decision.ACCEPTED, Decision.NOTHING}
    if accepted and any(result.findings for result in account.report.files):
        written = account.written
        show_apply(account.report, out, dry_run=not written, listing=account.listing, verified=True)
    print(_last(account), file=out)


def _lines(mended: Mended) -> Iterator[tuple[str, str]]:
    yield f"{counted(mended.runs, 'run')} on {mended.device} to find device errors", "bold"
    places = [short_where(step.at) for step in mended.steps]
    width = max(map(len, places), default=0)
    for place, step in zip(places, mended.steps, strict=True):
        yield f"  {place.ljust(width)}  {step.shown}", ""
        yield f"  {' ' * width}  fix: {step.words}", "green"
    if mended.stuck is not None:
        yield from _stuck(mended.stuck)


def _stuck(stuck: Stuck) -> Iterator[tuple[str, str]]:
    yield "Nothing more could be done:", "bold red"
    yield f"  {stuck.shown}", ""
    if stuck.at is not None:
        yield f"  at {short_where(stuck.at)}  {source_of(stuck.at)}", ""
    for line in stuck.lines:
        if line.at is not None and line.work.get(HOST):
            yield f"  computed on the CPU: {short_where(line.at)}  {source_of(line.at)}", ""
    for words in stuck.tried[:_TRIED]:
        yield f"  tried, and did not help: {words}", ""
    if len(stuck.tried) > _TRIED:
        yield f"  and {len(stuck.tried) - _TRIED} more", ""
    if stuck.exhausted:
        yield "  The maximum number of runs was reached; --rounds allows more.", ""
    yield f"  Needs your decision: {stuck.decision}", "bold"


def _last(account: Account) -> str:
    """What was written."""
    assert account.acceptance is not None
    paths = ", ".join(near(result.path) for result, _ in account.report.changes)
    if account.written:
        return f"Written: {paths}. `devicefix undo` reverts this."
    if account.acceptance.decision is Decision.ACCEPTED:
        return f"Would be written: {paths}."
    if account.acceptance.decision is Decision.NOTHING:
        return "Nothing to repair: the program already runs on the accelerator."
    return "Nothing was written."
