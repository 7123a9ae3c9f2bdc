"""What is said of a baseline: on stderr beside any report, and when it was written."""

from __future__ import annotations

from typing import Final, TextIO

from devicefix.engine import BaselineUse
from devicefix.engine.recording import Recorded
from devicefix.reporting.terminal import complain, printable

_SHOWN: Final = 10


def show_use(use: BaselineUse | None) -> None:
    """What was left out of a check, and what the baseline has too much."""
    if use is None:
        return
    if use.hidden:
        complain(f"{_findings(use.hidden)} in {use.location} not reported.")
    if not use.stale:
        return
    complain(f"{use.location}: no longer found; devicefix baseline --prune removes it:")
    for entry in use.stale[:_SHOWN]:
        complain(f"  {entry.path}: {entry.code} {entry.line}")
    if len(use.stale) > _SHOWN:
        complain(f"  and {len(use.stale) - _SHOWN} more")


def show_recorded(recorded: Recorded, out: TextIO, named: bool) -> None:
    """What was written; ``named``: somebody has said where."""
    where = printable(str(recorded.baseline.location))
    added, gone = recorded.added, recorded.gone
    print(
        f"{where}: {_findings(len(recorded.baseline))} ({added} added, {gone} removed).", file=out
    )
    if not named:
        print(f'To use it, set baseline = "{where}" in [tool.devicefix].', file=out)


def _findings(count: int) -> str:
    return f"{count} finding" + "s" * (count != 1)
