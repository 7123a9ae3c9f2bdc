"""Files that are being written beside those whose place they take, and what the dead left of them.

Whoever writes into a folder holds a shared lock on the folder itself, which ends with the process;
whoever finds nobody there removes what is unfinished.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

_OURS: Final = re.compile(r"\.devicefix-[a-z0-9_]{8}\.tmp")
_BINARY: Final = getattr(os, "O_BINARY", 0)
_PATIENCE: Final = 1.0
"""Seconds that somebody may take to remove what is left."""


@contextlib.contextmanager
def complete(data: bytes, folder: Path) -> Iterator[Path]:
    """The path of a new file in ``folder`` that holds ``data``; what is there afterwards goes.

    Raises `OSError`.
    """
    path = _free_name(folder)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield path
    finally:
        # What was done is done, even if the disk lets nothing be removed now; the next run will.
        with contextlib.suppress(OSError):
            path.unlink()


def _free_name(folder: Path) -> Path:
    """Known before there is a file, so that whoever interrupts us leaves none."""
    while True:
        path = folder / f".devicefix-{secrets.token_hex(4)}.tmp"
        if not os.path.lexists(path):
            return path


@contextlib.contextmanager
def at_work_in(folders: Iterable[Path]) -> Iterator[None]:
    """Nobody removes our files from ``folders`` meanwhile; what dead processes left is gone."""
    with contextlib.ExitStack() as stack:
        for folder in sorted(set(folders)):
            with contextlib.suppress(OSError):  # no lock is to be had there: so nothing is removed
                stack.enter_context(_held(folder))
        yield


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    if sys.platform == "win32":  # no folder can be locked
        yield
        return
    import fcntl

    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            _wait_for_lock(number)  # others are writing there
        else:
            _sweep(folder)
            fcntl.flock(number, fcntl.LOCK_SH)
        yield
    finally:
        os.close(number)


def _wait_for_lock(number: int) -> None:
    import fcntl

    until = time.monotonic() + _PATIENCE
    while True:
        with contextlib.suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return
        if time.monotonic() > until:
            return
        time.sleep(0.01)


def _sweep(folder: Path) -> None:
    with os.scandir(folder) as entries:
        left = [e for e in entries if _OURS.fullmatch(e.name) and e.is_file(follow_symlinks=False)]
    for entry in left:
        with contextlib.suppress(OSError):
            os.unlink(entry.path)  # noqa: PTH108
