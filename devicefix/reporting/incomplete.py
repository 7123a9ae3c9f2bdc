"""What a run could not do, in the sentence that says what it did."""

from __future__ import annotations

from collections.abc import Iterator

from devicefix.engine import Report
from devicefix.reporting.counting import counted


def incomplete_note(report: Report) -> str:
    """``; 2 files not worked on``: nothing where all was understood."""
    return "".join(f"; {part}" for part in _parts(report))


def _parts(report: Report) -> Iterator[str]:
    if report.failed:
        yield f"{counted(len(report.failed), 'file')} not processed"
    if report.unfinished:
        yield f"{counted(len(report.unfinished), 'file')} not fully analysed"
