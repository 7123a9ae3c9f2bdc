"""Two files that change places in one step, so that what was there is never nowhere."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

_HERE: Final = -100
"""``AT_FDCWD`` of openat(2): paths count from the working directory."""
_EXCHANGE: Final = 2
"""``RENAME_EXCHANGE`` of rename(2) on Linux, and ``RENAME_SWAP`` of renamex_np(2) on macOS."""
_NOT_HERE: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
"""What a system or a file system says that does not know it."""


def exchange(one: Path, other: Path) -> bool:
    """``one`` has what ``other`` had, and the other way round; False where that is not to be had.

    Raises `OSError`; then both are as they were.
    """
    call = _call()
    if call is None:
        return False
    if call(os.fsencode(one), os.fsencode(other)) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NOT_HERE:
        return False
    raise OSError(number, os.strerror(number), str(other))


@functools.cache
def _call() -> Callable[[bytes, bytes], int] | None:
    if sys.platform == "win32":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        swap = getattr(library, "renamex_np", None)
        return None if swap is None else lambda one, other: int(swap(one, other, _EXCHANGE))
    rename = getattr(library, "renameat2", None)  # glibc 2.28
    if rename is None:
        return None
    return lambda one, other: int(rename(_HERE, one, _HERE, other, _EXCHANGE))
