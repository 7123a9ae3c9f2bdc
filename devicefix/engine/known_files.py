"""What the last run over the same folders knew of their files: what has not changed since is not
read again.

A file counts as unchanged by its size, both times, and its number on the disk, as it does for git.
A change in the very moment in which it was read could leave all of these as they are
(git-scm.com/docs/racy-git), so a file that was touched just before is read by the next run, too.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from devicefix.engine.reading import Scan, Stamp, read_from_disk, scanned, stamp_of
from devicefix.engine.report import FileError, FileFailedError
from devicefix.source import signature_of

_MOMENT: Final = 3_000_000_000
"""Nanoseconds; FAT keeps times to two seconds, all others to less."""
_TELLS: Final = sys.platform != "win32"
"""Whether there is a time that nobody can set back; on Windows `st_ctime` is that of the making."""


class Known(Struct, frozen=True):
    """A file as it was."""

    stamp: Stamp | None
    """None where it may have changed since without a trace."""
    scan: Scan


def scan_all(
    paths: Iterable[Path], before: Mapping[str, Known]
) -> tuple[dict[str, Known], list[FileError]]:
    """The files at ``paths``, of which ``before`` is known, and what could not be read."""
    files: dict[str, Known] = {}
    errors: list[FileError] = []
    for path in paths:
        name = str(path)
        old = before.get(name)
        try:
            files[name] = old if old is not None and _is_the_same(name, old) else _read(path, old)
        except FileFailedError as failure:
            errors.append(failure.error)
    return files, errors


def _is_the_same(name: str, old: Known) -> bool:
    if old.stamp is None or not _TELLS:
        return False
    try:
        return stamp_of(os.stat(name)) == old.stamp  # noqa: PTH116
    except (OSError, ValueError):
        return False


def _read(path: Path, old: Known | None) -> Known:
    """The file as it is now; a scan is of bytes. Raises `FileFailedError`."""
    now = time.time_ns()
    data, stamp = read_from_disk(path)
    settled = now - max(stamp.changed, stamp.modified) > _MOMENT
    signature = signature_of(data)
    same = old is not None and old.scan.signature == signature
    scan = old.scan if old is not None and same else scanned(path, data, signature)
    return Known(stamp if settled else None, scan)
