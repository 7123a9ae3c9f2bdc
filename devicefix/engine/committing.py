"""Bringing the outcome of a run to the disk: the journal first, then file by file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from devicefix.engine.components import components
from devicefix.engine.journal import Rewritten, finish, keep_only, record, rewritten
from devicefix.engine.journal_lock import exclusive
from devicefix.engine.report import Change, FileError, Report
from devicefix.engine.uncommitted import refuse_uncommitted, untracked
from devicefix.engine.writing import Replacement, digest, half_of, replace_together


def commit(report: Report, allow_dirty: bool = False) -> Report:
    """Write all changes of ``report``; a file that cannot be written becomes an error.

    So do those that share a fix with it. Raises `JournalError`, and unless ``allow_dirty``
    `UncommittedError`; then nothing was written.
    """
    changes = {result.path: change for result, change in report.changes}
    if not changes:
        return report
    if not allow_dirty:
        refuse_uncommitted(report)
    lines = {
        path: rewritten(path, change.before, change.after, change.codes, change.partners)
        for path, change in changes.items()
    }
    with exclusive():
        failed = write_recorded(
            lines, (_replacements(together, changes) for together in _bundles(changes))
        )
    written = changes.keys() - failed.keys()
    return replace(
        report,
        untracked=() if allow_dirty else untracked(written),
        remains=report.remains.without(failed) if report.remains is not None else None,
        files=tuple(result for result in report.files if result.path not in failed),
        errors=(
            *report.errors,
            *(FileError(path, None, f"not written: {reason}") for path, reason in failed.items()),
        ),
    )


def write_recorded(
    lines: Mapping[str, Rewritten], bundles: Iterable[Sequence[Replacement]]
) -> dict[str, str]:
    """Record ``lines``, by path, and make the replacements; why each file was left, by path.

    The files of a bundle are replaced together. Raises `JournalError`; then nothing was written.
    """
    entry = record(tuple(lines.values()))
    failed: dict[str, str] = {}
    half_done: set[str] = set()
    for news in bundles:
        reasons = replace_together(news)
        failed |= reasons
        half_done |= half_of((new.path for new in news), reasons)
    lost = {lines[path] for path in failed.keys() - half_done}
    keep_only(entry, lambda line: line not in lost)
    if not half_done:
        finish(entry)
    return failed


def _bundles(changes: Mapping[str, Change]) -> list[list[str]]:
    links = ((path, partner) for path, change in changes.items() for partner in change.partners)
    return components(changes, links)


def _replacements(paths: Sequence[str], changes: Mapping[str, Change]) -> list[Replacement]:
    return [Replacement(path, changes[path].after, digest(changes[path].before)) for path in paths]
