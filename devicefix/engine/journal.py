"""What was applied, kept outside the user's tree so that it can be taken back, and what was taken
back, so that it can be applied again.

One JSON file per run of `apply`, written before the first source file is touched. Whether a file of
an entry was really rewritten is seen from its digest, so a crash in between loses nothing. While
files are written, the name of the entry says so: what a process that was ended by force has left
half done is known by that, and `recover` takes it back. One process writes at a time.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from devicefix.engine.discovery import reason_of
from devicefix.engine.errors import JournalError
from devicefix.engine.state import STATE_VARIABLE, state_folder
from devicefix.engine.writing import (
    digest,
    make_private_folder,
    settle,
    write_private,
)

ENTRIES_KEPT: Final = 100
_FORMAT: Final = 1
_JOURNAL: Final = "journal"
_NUMBER: Final = re.compile(r"\d{20}(?=-)")
_END: Final = ".json"
BEGUN: Final = ".begun.json"
"""The end of an entry's name while its files are written."""
REVERTED: Final = ".reverted"
"""The end of an entry's name that `undo` has made: its originals are what was applied."""


class Rewritten(Struct, frozen=True):
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


class Entry(Struct, frozen=True):
    """One run of `apply`."""

    location: Path
    files: tuple[Rewritten, ...]
    folder: str = ""
    """Where it was started, links resolved; empty in entries of older versions."""


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


def record(files: Sequence[Rewritten], end: str = BEGUN) -> Entry:
    """Write down what is about to happen; `finish` says when it has.

    With ``end`` `REVERTED`: what `undo` has taken back, for `redo`. Raises `JournalError`.
    """
    try:
        folder = state_folder(_JOURNAL)
        make_private_folder(folder)
        location = folder / f"{_next_number(folder):020}-{os.getpid()}{end}"
        entry = Entry(location, tuple(files), os.path.realpath(os.curdir))
        _save(entry)
    except OSError as error:
        where = error.filename or os.environ.get(STATE_VARIABLE, "the state folder")
        raise JournalError(f"cannot write the journal: {where}: {reason_of(error)}") from error
    _forget_oldest(folder, _END if end == BEGUN else end)
    return entry


def _next_number(folder: Path) -> int:
    """The time, but behind all that is there: a clock may have gone backwards."""
    numbers = (_NUMBER.match(location.name) for location in folder.glob("*"))
    return max(time.time_ns(), *(int(number[0]) + 1 for number in numbers if number), 0)


def begin(entry: Entry) -> Entry:
    """``entry``, whose files are about to be written."""
    if entry.location.name.endswith(BEGUN):
        return entry
    location = entry.location.with_name(entry.location.name.replace(_END, BEGUN))
    try:
        entry.location.replace(location)
    except OSError:  # nothing can be written there; that is no reason not to restore files
        return entry
    return replace(entry, location=location)


def finish(entry: Entry) -> None:
    """All of ``entry`` is done, as far as it ever will be."""
    name = entry.location.name.replace(BEGUN, _END)
    with contextlib.suppress(OSError):  # `recover` will find nothing that is half done
        settle(Path(file.path).parent for file in entry.files)
        entry.location.replace(entry.location.with_name(name))


def keep_only(entry: Entry, wanted: Callable[[Rewritten], bool]) -> None:
    """Take the other files out of ``entry``; an entry without files goes."""
    rest = tuple(filter(wanted, entry.files))
    if rest == entry.files:
        return
    with contextlib.suppress(OSError):  # harmless: the digests tell what became of each file
        settle(Path(file.path).parent for file in entry.files)  # what they hold first
        if rest:
            _save(replace(entry, files=rest))
        else:
            entry.location.unlink(missing_ok=True)


def written_at(entry: Entry) -> float:
    """When it was recorded, in seconds since the epoch."""
    number = _NUMBER.match(entry.location.name)
    return int(number[0]) / 1e9 if number else 0.0


def last_entry(folder: Path) -> Entry:
    """The last run that touched a file below ``folder``.

    Raises `JournalError` where there is none, or the journal is damaged.
    """
    root = Path(os.path.realpath(folder))
    for entry in entries():
        if any(is_below(file, [root]) for file in entry.files):
            return entry
    raise JournalError(f"no `devicefix apply` has changed anything in {folder}")


def wrote_last(files: Iterable[str]) -> Mapping[str, str]:
    """Of those of ``files`` (real paths) that were rewritten, the digest of what was last.

    Raises `JournalError` for a damaged journal.
    """
    wanted, found = set(files), dict[str, str]()
    for entry in entries():
        found |= {f.path: f.after for f in entry.files if f.path in wanted.difference(found)}
        if len(found) == len(wanted):
            break
    return found


def is_below(file: Rewritten, roots: Sequence[Path]) -> bool:
    """Whether it lies below one of ``roots``, which are real paths."""
    return any(Path(file.path).is_relative_to(root) for root in roots)


def entries(end: str = _END) -> Iterable[Entry]:
    """The newest first. Raises `JournalError` for one that is damaged."""
    for location in sorted(state_folder(_JOURNAL).glob(f"*{end}"), reverse=True):
        try:
            found, data = _read(location)
            content = json.loads(data)
            if content["format"] != _FORMAT:
                raise ValueError(f"format {content['format']} is not known to this version")
            files = tuple(_rewritten(file) for file in content["files"])
        except FileNotFoundError:
            continue  # taken back, or forgotten, by another process
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise JournalError(f"cannot read the journal: {location}: {error}") from error
        yield Entry(found, files, str(content.get("folder", "")))


def _read(location: Path) -> tuple[Path, bytes]:
    try:
        return location, location.read_bytes()
    except FileNotFoundError:
        done = location.with_name(location.name.replace(BEGUN, _END))
        return done, done.read_bytes()


def _rewritten(line: Mapping[str, Any]) -> Rewritten:
    tuples = {key: tuple(value) for key, value in dict(line).items() if isinstance(value, list)}
    file = Rewritten(**{**line, **tuples})
    texts = (file.path, file.before, file.after, *file.codes, *file.partners)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a string was expected")
    base64.b64decode(file.original, validate=True)
    return file


def _save(entry: Entry) -> None:
    files = [asdict(file) for file in entry.files]
    content = {"format": _FORMAT, "folder": entry.folder, "files": files}
    write_private(entry.location, json.dumps(content).encode("ascii"))


def _forget_oldest(folder: Path, end: str) -> None:
    for location in sorted(folder.glob(f"*{end}"))[:-ENTRIES_KEPT]:
        with contextlib.suppress(OSError):
            location.unlink()
