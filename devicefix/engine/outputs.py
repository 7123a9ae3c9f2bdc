"""Files that are written besides sources, such as reports: each is whole, or what it was."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from devicefix.engine.unfinished import at_work_in, complete
from devicefix.engine.writing import keep_rights

_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
"""What file systems say that give a file one name only."""
_NOTHING_NEW: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
"""What is said in a folder in which nothing may be made; a file in it may still be written to."""
_NO_FOLDERS: Final = (Path("/dev"), Path("/proc"))
"""Where names stand for what somebody has open."""


def create_file(path: Path, data: bytes) -> None:
    """Write ``data`` to a new file at once or not at all.

    Raises `OSError`, also where there is something at ``path`` already.
    """
    with complete(data, path.parent) as new:
        new.chmod(_usual_mode())
        try:
            os.link(new, path)
        except OSError as error:
            if error.errno not in _NO_LINKS or os.path.lexists(path):
                raise
            new.replace(path)


def put_file(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``, whatever it holds, at once or not at all. Raises `OSError`.

    What is no regular file is written to, and so is a file in a folder that takes no other one.
    """
    target = Path(os.path.realpath(path))
    is_name = not any(path.is_relative_to(folder) for folder in _NO_FOLDERS)
    if is_name and (target.is_file() or not target.exists()):
        try:
            _put(target, data)
        except OSError as error:
            if error.errno not in _NOTHING_NEW or not target.exists():
                raise
        else:
            return
    path.write_bytes(data)


def _put(target: Path, data: bytes) -> None:
    with at_work_in([target.parent]), complete(data, target.parent) as new:
        if target.exists():
            keep_rights(target, new)
        else:
            new.chmod(_usual_mode())
        new.replace(target)


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
