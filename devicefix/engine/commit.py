"""Bringing the outcome of a run to the disk: the journal first, then file by file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from devicefix.engine.discovery import reason_of
from devicefix.engine.journal import Rewritten, keep_only, record, rewritten
from devicefix.engine.report import Change, FileError, FileResult, Report
from devicefix.engine.writing import WriteRefusedError, digest, replace_file


def commit(report: Report) -> Report:
    """Write all changes of ``report``; a file that cannot be written becomes an error.

    Raises `JournalError`; then nothing was written.
    """
    if not report.changes:
        return report
    lines = {result.path: _journal_line(result, change) for result, change in report.changes}
    entry = record(tuple(lines.values()))
    errors = {result.path: _write(result, change) for result, change in report.changes}
    failed = {path: error for path, error in errors.items() if error is not None}
    lost = {lines[path] for path in failed}
    keep_only(entry, lambda line: line not in lost)
    return replace(
        report,
        files=tuple(result for result in report.files if result.path not in failed),
        errors=(*report.errors, *failed.values()),
    )


def _journal_line(result: FileResult, change: Change) -> Rewritten:
    codes = (finding.code for finding in result.applied)
    return rewritten(result.path, change.before, change.after, codes)


def _write(result: FileResult, change: Change) -> FileError | None:
    try:
        replace_file(Path(result.path), change.after, digest(change.before))
    except WriteRefusedError as refusal:
        return FileError(result.path, None, f"not written: {refusal}")
    except OSError as error:
        return FileError(result.path, None, f"not written: {reason_of(error)}")
    return None
