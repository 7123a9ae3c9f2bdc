"""One process writes at a time, of those that keep the same journal."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import Final

from devicefix.engine.errors import JournalError
from devicefix.engine.state import state_folder
from devicefix.engine.writing import make_private_folder

_LOCK: Final = "journal.lock"
_PATIENCE: Final = 60.0
"""Seconds; writing a thousand files takes a few."""


@contextlib.contextmanager
def exclusive() -> Iterator[None]:
    """Nobody else writes meanwhile; one who does is waited for. Raises `JournalError`.

    The lock ends with the process. Where none is to be had, everybody may write.
    """
    number = _opened()
    try:
        if number is not None:
            _wait(number)
        yield
    finally:
        if number is not None:
            os.close(number)


def _opened() -> int | None:
    lock = state_folder(_LOCK)
    with contextlib.suppress(OSError):  # whoever keeps a journal will hear of it
        make_private_folder(lock.parent)
        return os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    return None


def _wait(number: int) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            _lock(number)
        except (BlockingIOError, PermissionError):  # somebody has it; the second one is Windows'
            if time.monotonic() > until:
                raise JournalError(
                    f"nothing was written: another devicefix process has held "
                    f"{state_folder(_LOCK)} for more than {_PATIENCE:.0f} s"
                ) from None
            time.sleep(0.02)
        except OSError:
            return  # a file system without locks
        else:
            return


def _lock(number: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
