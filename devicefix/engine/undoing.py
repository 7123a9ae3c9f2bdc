"""Taking back what was applied: because the user says so, or because a run was cut short."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from devicefix.engine.components import components
from devicefix.engine.errors import JournalError
from devicefix.engine.journal import (
    BEGUN,
    REVERTED,
    Entry,
    Rewritten,
    begin,
    entries,
    finish,
    is_below,
    keep_only,
    record,
    rewritten,
    written_at,
)
from devicefix.engine.journal_lock import exclusive
from devicefix.engine.report import FileError
from devicefix.engine.unfinished import at_work_in
from devicefix.engine.writing import Replacement, digest, half_of, replace_together


class UndoReport(Struct, frozen=True):
    """What `undo` did."""

    restored: tuple[str, ...]
    errors: tuple[FileError, ...]
    """The files that were left as they are, and why."""


def undo(paths: Sequence[Path] = ()) -> UndoReport:
    """Restore the files of the last run of here, or of the last that touched one of ``paths``.

    Of here is what was started in the current folder, or has written below it: whoever stands in
    one project does not mean another. A path may be a folder. Files that share fixes are restored
    together: those that have changed since are left, and so are all that share a fix with them.
    Raises `JournalError` where no run is left to take back.
    """
    with exclusive():
        return _undo(paths)


class Undoable(Struct, frozen=True):
    """One run of `apply` that `undo` can take back."""

    time: float
    """When it wrote, in seconds since the epoch."""
    files: tuple[str, ...]
    codes: tuple[str, ...]
    """The rules whose fixes it made."""


def undoable(paths: Sequence[Path] = ()) -> tuple[Undoable, ...]:
    """The runs that `undo` with the same ``paths`` takes back one after another, newest first."""
    return listed(entries(), paths)


def listed(found_entries: Iterable[Entry], paths: Sequence[Path]) -> tuple[Undoable, ...]:
    """``found_entries`` as far as they are of here, or have files below ``paths``."""
    roots = [Path(os.path.realpath(path)) for path in paths]
    found = ((entry, chosen(entry, roots)) for entry in found_entries)
    return tuple(
        Undoable(
            written_at(entry),
            tuple(file.path for file in files),
            tuple(sorted({code for file in files for code in file.codes})),
        )
        for entry, files in found
        if files
    )


def _undo(paths: Sequence[Path]) -> UndoReport:
    entry, files = newest(entries(), paths, "undo")
    bundles = bundled(entry, files)
    reverted = list(_reverted(file for bundle in bundles for file in bundle))
    report = _take_back(begin(entry), bundles)
    done = [file for file in reverted if file.path in report.restored]
    if done:
        with contextlib.suppress(JournalError):  # no room for it is no reason not to undo
            record(done, REVERTED)
    return report


def newest(
    found_entries: Iterable[Entry], paths: Sequence[Path], verb: str
) -> tuple[Entry, Sequence[Rewritten]]:
    """The first of ``found_entries`` that is of here or has files below ``paths``, and these files.

    Raises `JournalError`, which says that there is nothing to ``verb``, where there is none.
    """
    roots = [Path(os.path.realpath(path)) for path in paths]
    elsewhere = False
    for entry in found_entries:
        files = chosen(entry, roots)
        if files:
            return entry, files
        elsewhere = elsewhere or bool(entry.files)
    if paths or not elsewhere:
        where = " for " + ", ".join(map(str, paths)) if paths else ""
        raise JournalError(f"nothing to {verb}{where}")
    # not where it wrote: what lies there may be nobody's business here
    raise JournalError(f"nothing to {verb} in this folder; name paths to {verb} an apply elsewhere")


def _reverted(files: Iterable[Rewritten]) -> Iterable[Rewritten]:
    """The entries of what `undo` is about to take back, for `redo`."""
    for file in files:
        with contextlib.suppress(OSError):  # it will not be restored, either
            applied = Path(file.path).read_bytes()
            if digest(applied) == file.after:
                original = file.original_bytes
                yield rewritten(file.path, applied, original, file.codes, file.partners)


def chosen(entry: Entry, roots: Sequence[Path]) -> Sequence[Rewritten]:
    """The files of ``entry`` below ``roots``; without roots all, if it is of this folder."""
    return [f for f in entry.files if is_below(f, roots)] if roots else _of_here(entry)


def _of_here(entry: Entry) -> Sequence[Rewritten]:
    here = Path(os.path.realpath(os.curdir))
    mine = entry.folder == str(here) or any(is_below(file, [here]) for file in entry.files)
    return entry.files if mine else ()


def bundled(entry: Entry, wanted_files: Iterable[Rewritten]) -> list[list[Rewritten]]:
    """``wanted_files``, and with each of them the files that share fixes with it."""
    files = {file.path: file for file in entry.files}
    links = ((file.path, partner) for file in entry.files for partner in file.partners)
    wanted = {file.path for file in wanted_files}
    bundles = (bundle for bundle in components(files, links) if wanted.intersection(bundle))
    return [[files[path] for path in bundle] for bundle in bundles]


def recover(paths: Sequence[Path]) -> UndoReport:
    """Take back what was done of fixes that several files share, where a run was cut short.

    That is for runs that wrote below ``paths`` and were ended by force: then the next one finds
    files that fit together. What was written as a whole stays, for `undo`. Raises `JournalError`.
    """
    if next(iter(entries(BEGUN)), None) is None:
        return UndoReport((), ())
    roots = [Path(os.path.realpath(path)) for path in paths]
    with exclusive():
        reports = [
            _recovered(e) for e in entries(BEGUN) if any(is_below(f, roots) for f in e.files)
        ]
    return UndoReport(
        tuple(path for report in reports for path in report.restored),
        tuple(error for report in reports for error in report.errors),
    )


def _recovered(entry: Entry) -> UndoReport:
    with _swept(entry):
        written = {file.path for file in entry.files if _holds(file.path, file.after)}
        left = {file.path for file in entry.files if _holds(file.path, file.before)}
    bundles = [{f.path for f in bundle} for bundle in bundled(entry, entry.files)]
    halves = [bundle for bundle in bundles if bundle & written and bundle & left]
    half = frozenset[str]().union(*halves)
    rest = replace(entry, files=tuple(f for f in entry.files if f.path in half.union(written)))
    keep_only(entry, rest.files.__contains__)
    if not rest.files:
        return UndoReport((), ())
    report = _take_back(rest, [[f for f in rest.files if f.path in bundle] for bundle in halves])
    return replace(report, restored=tuple(path for path in report.restored if path in written))


def _take_back(entry: Entry, bundles: Iterable[Sequence[Rewritten]]) -> UndoReport:
    restored: list[str] = []
    errors: list[FileError] = []
    half_done: set[str] = set()
    with _swept(entry):
        for bundle in bundles:
            news = [_restoration(file) for file in bundle if _is_applied(file)]
            reasons = replace_together(news)
            half_done |= half_of((new.path for new in news), reasons)
            errors += (FileError(p, None, f"not restored: {why}") for p, why in reasons.items())
            restored += (file.path for file in bundle if file.path not in reasons)
    keep_only(entry, lambda file: file.path not in restored or file.path in half_done)
    if not half_done:
        finish(entry)
    return UndoReport(tuple(restored), tuple(errors))


def _swept(entry: Entry) -> AbstractContextManager[None]:
    """What an earlier run has left unfinished where the files of ``entry`` lie is removed."""
    return at_work_in(Path(file.path).parent for file in entry.files)


def _is_applied(file: Rewritten) -> bool:
    """False where it never got as far, or the file is restored already."""
    return not _holds(file.path, file.before)


def _holds(path: str, wanted: str) -> bool:
    with contextlib.suppress(OSError):
        return digest(Path(path).read_bytes()) == wanted
    return False


def _restoration(file: Rewritten) -> Replacement:
    return Replacement(file.path, file.original_bytes, file.after)
