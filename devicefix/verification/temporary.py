"""Temporary folders that go with whoever made them, also where that one was killed.

Each is locked as long as its owner lives (flock(2): the system lets go of it with the process). Who
needs one next removes those that nobody holds any more.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from devicefix.verification.errors import LaunchError
from devicefix.verification.placing import remove

_PREFIX: Final = "devicefix-run-"
_SWEPT: Final[set[str]] = set()
"""Where it was looked for folders of others already."""


@contextmanager
def own_folder(purpose: str) -> Iterator[Path]:
    """A new folder, which is removed at the end.

    Raises `LaunchError` where there is no room for one, which says what it is for: ``purpose``.
    """
    try:
        sweep()
        folder, lock = _made()
    except OSError as error:
        raise LaunchError(f"no folder for {purpose}: {error}") from None
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):
            remove(folder)
        os.close(lock)


def sweep(again: bool = False) -> None:
    """Remove what those have left that were killed; once, unless it is to be done ``again``."""
    place = tempfile.gettempdir()
    if place in _SWEPT and not again:
        return
    _SWEPT.add(place)
    for folder in Path(place).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            _remove_if_left(folder)


def _made() -> tuple[Path, int]:
    """A folder and the open file that locks it."""
    while True:
        folder = Path(os.path.realpath(tempfile.mkdtemp(prefix=_PREFIX)))
        lock = _locked(folder)
        if lock is not None and folder.exists():  # nobody has swept it away before it was locked
            return folder, lock


def _locked(folder: Path) -> int | None:
    """The open folder, which is ours now; None where it is somebody's, or has gone."""
    import fcntl

    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        if os.fstat(opened).st_uid == os.geteuid():
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return opened
    except OSError:  # its owner lives
        pass
    os.close(opened)
    return None


def _remove_if_left(folder: Path) -> None:
    lock = _locked(folder)
    if lock is None:
        return
    try:
        remove(folder)
    finally:
        os.close(lock)
