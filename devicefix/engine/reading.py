"""Reading a file, and deciding early that it is none of our business."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from devicefix.engine.discovery import reason_of
from devicefix.engine.report import FileFailedError

LARGEST: Final = 5_000_000
"""Bytes; what is larger was made by a program, and its tree would take gigabytes."""


def read_relevant(path: Path) -> bytes | None:
    """The bytes of a file that mentions torch; None for any other.

    Raises `FileFailedError` where it cannot be read, changes meanwhile, or is too large to analyse.
    """
    data = _read(path)
    if b"torch" not in data:
        return None
    if len(data) > LARGEST:
        size = len(data) / 1_000_000
        limit = LARGEST / 1_000_000
        reason = f"{size:.1f} MB, more than {limit:.0f} MB: probably generated, not analysed"
        raise FileFailedError(str(path), None, reason)
    return data


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            before = os.fstat(file.fileno())
            data = file.read()
            after = os.fstat(file.fileno())
    except OSError as error:
        raise FileFailedError(str(path), None, reason_of(error)) from error
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    if not same or len(data) != after.st_size:
        raise FileFailedError(str(path), None, "changed while it was read")
    return data
