"""What was applied, kept outside the user's tree so that it can be taken back.

One JSON file per run of `apply`, written before the first source file is touched. Whether a file of
an entry was really rewritten is seen from its digest, so a crash in between loses nothing.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from devicefix.engine.components import components
from devicefix.engine.discovery import reason_of
from devicefix.engine.errors import JournalError
from devicefix.engine.report import FileError
from devicefix.engine.state import STATE_VARIABLE, state_folder
from devicefix.engine.writing import Replacement, digest, replace_together, write_private

ENTRIES_KEPT: Final = 100
_FORMAT: Final = 1
_JOURNAL: Final = "journal"


@dataclass(frozen=True, slots=True)
class Rewritten:
    """One file of one run."""

    path: str
    """Absolute, links resolved."""
    before: str
    """Digest of the original bytes."""
    after: str
    """Digest of the new bytes."""
    codes: tuple[str, ...]
    """The rules whose fixes were applied."""
    original: str
    """The original bytes in base64."""
    partners: tuple[str, ...] = ()
    """The files of this run that share fixes with it, by their paths here."""

    @property
    def original_bytes(self) -> bytes:
        """What the file held before."""
        return base64.b64decode(self.original)


@dataclass(frozen=True, slots=True)
class Entry:
    """One run of `apply`."""

    location: Path
    files: tuple[Rewritten, ...]
    folder: str = ""
    """Where it was started, links resolved; empty in entries of older versions."""


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What `undo` did."""

    restored: tuple[str, ...]
    errors: tuple[FileError, ...]
    """The files that were left as they are, and why."""


def rewritten(
    path: str, before: bytes, after: bytes, codes: Iterable[str], partners: Iterable[str] = ()
) -> Rewritten:
    """The journal's line on one file."""
    return Rewritten(
        path=os.path.realpath(path),
        before=digest(before),
        after=digest(after),
        codes=tuple(sorted(set(codes))),
        original=base64.b64encode(before).decode("ascii"),
        partners=tuple(sorted(map(os.path.realpath, partners))),
    )


def record(files: Sequence[Rewritten]) -> Entry:
    """Write down what is about to happen. Raises `JournalError`."""
    try:
        folder = state_folder(_JOURNAL)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        location = folder / f"{time.time_ns():020}-{os.getpid()}.json"
        entry = Entry(location, tuple(files), os.path.realpath(os.curdir))
        _save(entry)
        _forget_oldest(folder)
    except OSError as error:
        where = error.filename or os.environ.get(STATE_VARIABLE, "the state folder")
        raise JournalError(f"cannot write the journal: {where}: {reason_of(error)}") from error
    return entry


def keep_only(entry: Entry, wanted: Callable[[Rewritten], bool]) -> None:
    """Take the other files out of ``entry``; an entry without files goes."""
    rest = tuple(filter(wanted, entry.files))
    if rest == entry.files:
        return
    with contextlib.suppress(OSError):  # harmless: the digests tell what became of each file
        if rest:
            _save(replace(entry, files=rest))
        else:
            entry.location.unlink(missing_ok=True)


def last_entry(folder: Path) -> Entry:
    """The last run that touched a file below ``folder``.

    Raises `JournalError` where there is none, or the journal is damaged.
    """
    root = Path(os.path.realpath(folder))
    for entry in _entries():
        if any(_below(file, [root]) for file in entry.files):
            return entry
    raise JournalError(f"nothing was applied below {folder}")


def wrote_last(files: Iterable[str]) -> Mapping[str, str]:
    """Of those of ``files`` (real paths) that were rewritten, the digest of what was last.

    Raises `JournalError` for a damaged journal.
    """
    wanted, found = set(files), dict[str, str]()
    for entry in _entries():
        found |= {f.path: f.after for f in entry.files if f.path in wanted.difference(found)}
        if len(found) == len(wanted):
            break
    return found


def undo(paths: Sequence[Path] = ()) -> UndoReport:
    """Restore the files of the last run of here, or of the last that touched one of ``paths``.

    Of here is what was started in the current folder, or has written below it: whoever stands in
    one project does not mean another. A path may be a folder. Files that share fixes are restored
    together: those that have changed since are left, and so are all that share a fix with them.
    Raises `JournalError` where no run is left to take back.
    """
    roots = [Path(os.path.realpath(path)) for path in paths]
    elsewhere = None
    for entry in _entries():
        chosen = [f for f in entry.files if _below(f, roots)] if roots else _of_here(entry)
        if chosen:
            return _take_back(entry, _bundles(entry, chosen))
        elsewhere = elsewhere or (entry if entry.files else None)
    if paths or elsewhere is None:
        where = " for " + ", ".join(map(str, paths)) if paths else ""
        raise JournalError(f"nothing to undo{where}")
    raise JournalError(
        f"nothing to undo here; the last apply wrote below {_top(elsewhere)}: name that"
    )


def _top(entry: Entry) -> str:
    """The folder that all files of ``entry`` are below; of several drives that of the first."""
    folders = [str(Path(file.path).parent) for file in entry.files]
    try:
        return os.path.commonpath(folders)
    except ValueError:
        return folders[0]


def _of_here(entry: Entry) -> Sequence[Rewritten]:
    here = Path(os.path.realpath(os.curdir))
    mine = entry.folder == str(here) or any(_below(file, [here]) for file in entry.files)
    return entry.files if mine else ()


def _below(file: Rewritten, roots: Sequence[Path]) -> bool:
    return any(Path(file.path).is_relative_to(root) for root in roots)


def _bundles(entry: Entry, chosen: Sequence[Rewritten]) -> list[list[Rewritten]]:
    """``chosen``, and with each of them the files that share fixes with it."""
    files = {file.path: file for file in entry.files}
    links = ((file.path, partner) for file in entry.files for partner in file.partners)
    wanted = {file.path for file in chosen}
    bundles = (bundle for bundle in components(files, links) if wanted.intersection(bundle))
    return [[files[path] for path in bundle] for bundle in bundles]


def _take_back(entry: Entry, bundles: Iterable[Sequence[Rewritten]]) -> UndoReport:
    restored: list[str] = []
    errors: list[FileError] = []
    for bundle in bundles:
        reasons = replace_together([_restoration(file) for file in bundle if _is_applied(file)])
        errors += (FileError(p, None, f"not restored: {why}") for p, why in reasons.items())
        restored += (file.path for file in bundle if file.path not in reasons)
    keep_only(entry, lambda file: file.path not in restored)
    return UndoReport(tuple(restored), tuple(errors))


def _is_applied(file: Rewritten) -> bool:
    """False where it never got as far, or the file is restored already."""
    with contextlib.suppress(OSError):
        return digest(Path(file.path).read_bytes()) != file.before
    return True


def _restoration(file: Rewritten) -> Replacement:
    try:
        original = file.original_bytes
    except ValueError as error:
        raise JournalError(f"cannot read what {file.path} held before: {error}") from error
    return Replacement(file.path, original, file.after)


def _entries() -> Iterable[Entry]:
    """The newest first. Raises `JournalError` for one that is damaged."""
    for location in sorted(state_folder(_JOURNAL).glob("*.json"), reverse=True):
        try:
            content = json.loads(location.read_bytes())
            if content["format"] != _FORMAT:
                raise ValueError(f"format {content['format']} is not known to this version")
            files = tuple(_rewritten(file) for file in content["files"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise JournalError(f"cannot read the journal: {location}: {error}") from error
        yield Entry(location, files, str(content.get("folder", "")))


def _rewritten(line: Mapping[str, Any]) -> Rewritten:
    tuples = {key: tuple(value) for key, value in dict(line).items() if isinstance(value, list)}
    file = Rewritten(**{**line, **tuples})
    texts = (file.path, file.before, file.after, file.original, *file.codes, *file.partners)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("what has to be a text is none")
    return file


def _save(entry: Entry) -> None:
    files = [asdict(file) for file in entry.files]
    content = {"format": _FORMAT, "folder": entry.folder, "files": files}
    write_private(entry.location, json.dumps(content).encode("ascii"))


def _forget_oldest(folder: Path) -> None:
    for location in sorted(folder.glob("*.json"))[:-ENTRIES_KEPT]:
        location.unlink(missing_ok=True)
