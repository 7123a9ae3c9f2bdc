"""Folders that belong to a process for as long as it lives: what dead ones left is removed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Final

_LOCK: Final = ".lock"
_held: list[int] = []
"""Locks of ours; they end with us."""


def claimed(top: Path | None = None) -> Path:
    """A folder for this process, below ``top`` or where temporary files lie.

    A process that is ended by force removes nothing; the next one that claims a folder does.
    """
    top = top or Path(tempfile.gettempdir())
    house = top / f"devicefix-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        house.mkdir(mode=0o700)
    if not _is_ours(house):
        return Path(tempfile.mkdtemp(prefix="devicefix-", dir=top))
    _sweep(house)
    while True:
        descriptor, name = tempfile.mkstemp(_LOCK, "", house)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:  # nobody has swept it meanwhile
            _held.append(descriptor)
            folder = Path(name.removesuffix(_LOCK))
            folder.mkdir(mode=0o700)
            return folder
        os.close(descriptor)


def _is_ours(folder: Path) -> bool:
    """Whether nobody else may write into it: its name can be guessed."""
    found = folder.lstat()
    is_closed = not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and is_closed


def _sweep(house: Path) -> None:
    for lock in house.glob(f"*{_LOCK}"):
        with contextlib.suppress(OSError):  # somebody is alive, or as quick as we are
            descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
                lock.unlink()
            finally:
                os.close(descriptor)
