"""Applying again what `undo` has taken back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from devicefix.engine.committing import write_recorded
from devicefix.engine.discovery import reason_of
from devicefix.engine.journal import REVERTED, Rewritten, entries, keep_only, rewritten
from devicefix.engine.journal_lock import exclusive
from devicefix.engine.report import FileError
from devicefix.engine.undoing import Undoable, bundled, listed, newest
from devicefix.engine.writing import Replacement, digest

_CHANGED: Final = "it was changed after undo"


class RedoReport(Struct, frozen=True):
    """What `redo` did."""

    applied: tuple[str, ...]
    errors: tuple[FileError, ...]
    """The files that were left as they are, and why."""


def redo(paths: Sequence[Path] = ()) -> RedoReport:
    """Write again what the last `undo` of here, or of one of ``paths``, has taken back.

    It is written byte for byte, and `undo` takes it back as it does any run. Files that have
    changed since are left, and so are all that share a fix with them. Raises `JournalError` where
    nothing was taken back.
    """
    with exclusive():
        entry, files = newest(entries(REVERTED), paths, "redo")
        bundles = bundled(entry, files)
        contents, failed = _contents(file for bundle in bundles for file in bundle)
        for bundle in bundles:
            failed |= _left_together(bundle, failed)
        ready = [bundle for bundle in bundles if bundle[0].path not in failed]
        lines = {f.path: _line(f, contents[f.path]) for bundle in ready for f in bundle}
        if lines:
            failed |= write_recorded(lines, [[_replacement(f) for f in b] for b in ready])
        keep_only(entry, lambda file: file.path not in lines or file.path in failed)
    return RedoReport(
        tuple(path for path in lines if path not in failed),
        tuple(FileError(path, None, f"not applied again: {why}") for path, why in failed.items()),
    )


def redoable(paths: Sequence[Path] = ()) -> tuple[Undoable, ...]:
    """The runs that `redo` with the same ``paths`` applies one after another, newest first."""
    return listed(entries(REVERTED), paths)


def _contents(files: Iterable[Rewritten]) -> tuple[dict[str, bytes], dict[str, str]]:
    """What the files hold, by path; and why some cannot be written again."""
    contents: dict[str, bytes] = {}
    failed: dict[str, str] = {}
    for file in files:
        try:
            contents[file.path] = Path(file.path).read_bytes()
        except OSError as error:
            failed[file.path] = reason_of(error)
        else:
            if digest(contents[file.path]) != file.after:
                failed[file.path] = _CHANGED
    return contents, failed


def _left_together(bundle: Sequence[Rewritten], failed: Mapping[str, str]) -> dict[str, str]:
    """Why the other files of ``bundle`` are left, if one of ``failed`` is among them."""
    bad = next((file.path for file in bundle if file.path in failed), None)
    if bad is None:
        return {}
    reason = f"{bad}, which shares a fix with it, could not be"
    return {file.path: reason for file in bundle if file.path not in failed}


def _line(file: Rewritten, content: bytes) -> Rewritten:
    """The journal's line on a file that holds ``content``, for `undo`."""
    return rewritten(file.path, content, file.original_bytes, file.codes, file.partners)


def _replacement(file: Rewritten) -> Replacement:
    return Replacement(file.path, file.original_bytes, file.after)
