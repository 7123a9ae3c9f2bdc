"""The baseline: a file of findings that somebody has decided to live with for now.

It is JSON, sorted, and has no line numbers, so that it reads well in a diff and seldom clashes.
"""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from devicefix.engine.discovery import reason_of
from devicefix.engine.errors import BaselineError
from devicefix.engine.known import Entry
from devicefix.engine.outputs import create_file
from devicefix.engine.unfinished import at_work_in
from devicefix.engine.writing import WriteRefusedError, digest, replace_file

DEFAULT_NAME: Final = "devicefix-baseline.json"
_VERSION: Final = 1
_MOST: Final = 200_000
"""Findings of one: a count could ask for any amount of memory."""
_KEYS: Final = frozenset({"code", "line", "within", "count"})


class Baseline(Struct, frozen=True):
    """What such a file holds."""

    location: Path
    files: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    """By real path; an entry that counts twice is there twice."""
    content: bytes | None = None
    """The file as it was read; None where there was none."""

    def __len__(self) -> int:
        return sum(len(entries) for entries in self.files.values())

    def shown(self, file: str) -> str:
        """How a file is named in it: from the folder that it lies in."""
        return _named(file, self._folder)

    @property
    def _folder(self) -> str:
        return os.path.realpath(self.location.parent)


def from_here(location: str) -> Path:
    """A path as it would be written in the current folder, if it lies below that."""
    path = Path(location)
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def read_baseline(location: Path, *, new: bool = False) -> Baseline:
    """The baseline at ``location``; an empty one where it is to be a ``new`` one.

    Raises `BaselineError`, which names the file and, of what is no JSON, the line.
    """
    try:
        if not stat.S_ISREG(location.stat().st_mode):  # a pipe may never end, nor a device
            raise BaselineError(f"{location}: is not a regular file")
        data = location.read_bytes()
    except FileNotFoundError:
        if new:
            return Baseline(location)
        raise BaselineError(
            f"{location}: no such baseline; `devicefix baseline` creates it"
        ) from None
    except OSError as error:
        raise BaselineError(f"{location}: {reason_of(error)}") from error
    return Baseline(location, _files(data, location), data)


def write_baseline(baseline: Baseline) -> None:
    """Put it where it belongs, unless it is there already. Raises `BaselineError`."""
    data = _rendered(baseline)
    try:
        with at_work_in([baseline.location.parent]):
            _put(baseline, data)
    except (OSError, WriteRefusedError) as error:
        why = reason_of(error) if isinstance(error, OSError) else str(error)
        raise BaselineError(f"{baseline.location}: not written: {why}") from error


def _put(baseline: Baseline, data: bytes) -> None:
    if baseline.content is None:
        create_file(baseline.location, data)
    elif data != baseline.content:
        replace_file(baseline.location, data, digest(baseline.content))


def _rendered(baseline: Baseline) -> bytes:
    named = {baseline.shown(file): entries for file, entries in baseline.files.items() if entries}
    files = {name: _items(named[name]) for name in sorted(named)}
    content = {"tool": "devicefix", "version": _VERSION, "files": files}
    return (json.dumps(content, indent=1) + "\n").encode("ascii")


def _items(entries: Iterable[Entry]) -> list[dict[str, object]]:
    items = []
    for entry, count in sorted(Counter(entries).items()):
        item: dict[str, object] = {"code": entry.code, "line": entry.line}
        if entry.within:
            item["within"] = entry.within
        if count > 1:
            item["count"] = count
        items.append(item)
    return items


def _named(file: str, folder: str) -> str:
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(file).as_posix()


def _files(data: bytes, location: Path) -> dict[str, tuple[Entry, ...]]:
    folder = os.path.realpath(location.parent)
    try:
        content = json.loads(data)
        if content["tool"] != "devicefix":
            raise KeyError("tool")
        if content["version"] != _VERSION:
            reason = f"version {content['version']} is not supported by this devicefix"
            raise BaselineError(f"{location}: {reason}")
        named = dict(content["files"])
        counted = sum(_count(item) for items in named.values() for item in items)
        if counted > _MOST:
            raise BaselineError(f"{location}: has {counted} entries; no more than {_MOST} are read")
        return {_real(folder, name): _entries(items) for name, items in named.items()}
    except json.JSONDecodeError as error:
        raise BaselineError(f"{location}:{error.lineno}: invalid JSON: {error.msg}") from error
    except (RecursionError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise BaselineError(f"{location}: is not a devicefix baseline") from error


def _real(folder: str, name: str) -> str:
    os.fsencode(name)  # what no file can be called, realpath may pass
    return os.path.realpath(Path(folder, name))


def _entries(items: Iterable[Mapping[str, Any]]) -> tuple[Entry, ...]:
    found: list[Entry] = []
    for item in items:
        texts = [item["code"], item["line"], item.get("within", "")]
        if not all(isinstance(text, str) for text in texts) or not _KEYS.issuperset(item):
            raise ValueError
        found += [Entry(*texts)] * _count(item)
    return tuple(found)


def _count(item: Mapping[str, Any]) -> int:
    count = item.get("count", 1)
    if type(count) is not int or count < 1:
        raise ValueError
    return count
