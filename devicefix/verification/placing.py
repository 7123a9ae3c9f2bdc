"""Files put into a copy, and taken out of it, without ever following a link out of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path
from typing import BinaryIO, Final

_CLONE: Final = 0x40049409
"""``FICLONE`` of ioctl_ficlone(2): both files share their blocks until one is written to."""
_CHUNK: Final = 1 << 20


def write_file(path: Path, content: BinaryIO | bytes, mode: int, mtime_ns: int | None) -> None:
    """``path`` holds ``content`` afterwards; its folder may be written to.

    A file that is there is written over: so it keeps its place in the listing of its folder.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with contextlib.suppress(FileNotFoundError):
        if _is_ours(path):
            path.chmod(0o600)
        else:
            remove(path)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as out:
        if isinstance(content, bytes):
            out.write(content)
        elif not clone(content, out):
            shutil.copyfileobj(content, out, _CHUNK)
        out.flush()
        os.fchmod(out.fileno(), mode)
    if mtime_ns is not None:
        os.utime(path, ns=(mtime_ns, mtime_ns), follow_symlinks=False)


def _is_ours(path: Path) -> bool:
    """Whether it is a file that has no other name, such as one in somebody's tree."""
    known = path.lstat()
    return stat.S_ISREG(known.st_mode) and known.st_nlink == 1


def clone(source: BinaryIO, target: BinaryIO) -> bool:
    """Whether the file system lets ``target`` share the blocks of ``source``, and now it does."""
    import fcntl

    try:
        fcntl.ioctl(target.fileno(), _CLONE, source.fileno())
    except OSError:
        return False
    return True


def remove(path: Path) -> None:
    """``path`` is gone afterwards, with all that is in it, whatever its permissions."""
    if not stat.S_ISDIR(path.lstat().st_mode):
        path.unlink()
        return
    open_folder(path)
    with os.scandir(path) as entries:
        inside = [Path(entry.path) for entry in entries]
    for one in inside:
        remove(one)
    path.rmdir()


def open_folder(path: Path) -> None:
    """We may list ``path`` and change what is in it."""
    mode = stat.S_IMODE(path.lstat().st_mode)
    if mode & 0o700 != 0o700:
        path.chmod(mode | 0o700)
