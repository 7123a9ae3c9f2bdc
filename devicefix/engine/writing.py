"""Replacing a file as a whole or not at all, and several of them all or none."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct

from devicefix.engine.discovery import reason_of
from devicefix.engine.exchanging import exchange
from devicefix.engine.unfinished import at_work_in, complete

_CHANGED: Final = "it was changed in the meantime"
_GONE: Final = "it no longer exists"
_CANNOT_SETTLE: Final = frozenset(
    {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR}
)
"""What file systems say that bring no folder to the disk by itself, or have none there."""
_NO_ATTRIBUTES: Final = frozenset({errno.ENOTSUP, errno.EINVAL, errno.ENOSYS, errno.EPERM})
"""What file systems say that have no extended attributes."""
_ACL: Final = "system.posix_acl_access"


class WriteRefusedError(Exception):
    """The file was left as it is; the message says why."""


class Replacement(NamedTuple):
    """The new content of one file."""

    path: str
    data: bytes
    expected: str
    """The digest of what it has to hold now."""


def digest(data: bytes) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def replace_file(path: Path, data: bytes, expected: str) -> None:
    """Put ``data`` into the file at ``path``, whose content must have the digest ``expected``.

    The new content appears at once, under the same mode bits; a link stays and its target is
    replaced. Raises `WriteRefusedError` and `OSError`; then the file is as it was.
    """
    new = Replacement(str(path), data, expected)
    with at_work_in([_target(new).parent]), _prepared(new) as ready:
        ready.put()


def replace_together(replacements: Sequence[Replacement]) -> dict[str, str]:
    """Replace all files or, where one cannot be, none. Why each was left, by path; empty: all done.

    All that needs room on the disk is done before the first of them is touched. A file that was
    replaced and could not be taken back is missing among the reasons.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(at_work_in(_target(new).parent for new in replacements))
        ready: list[_Prepared] = []
        put: list[_Prepared] = []
        try:
            for new in replacements:
                ready.append(stack.enter_context(_prepared(new)))
            for one in ready:
                new = one.new
                one.put()
                put.append(one)
        except (WriteRefusedError, OSError) as error:
            stuck = {one.new.path for one in reversed(put) if not one.taken_back()}
            reason = f"{new.path}, which shares a fix with it, could not be"
            others = {r.path: reason for r in replacements if r.path not in stuck}
            return {**others, new.path: _reason(error) + _of_stuck(stuck)}
        except BaseException:  # the user interrupts
            for one in reversed(ready):
                one.taken_back()
            raise
    return {}


def half_of(paths: Iterable[str], reasons: Mapping[str, str]) -> set[str]:
    """``paths``, if `replace_together` could neither replace all of them nor take them back."""
    together = set(paths)
    return together if reasons and together - reasons.keys() else set()


def _of_stuck(stuck: Iterable[str]) -> str:
    named = ", ".join(sorted(stuck))
    return f"; {named} could not be reverted; the next apply or undo reverts it" if named else ""


class _Prepared(Struct, frozen=True):
    """A file, and beside it what is to take its place."""

    new: Replacement
    target: Path
    beside: Path
    """The new content, and behind `put` the old one, where files can be exchanged."""
    old: bytes

    def put(self) -> None:
        """Raises `WriteRefusedError` and `OSError`; then the target is as it was."""
        if not _holds(self.target, self.new.expected):
            raise WriteRefusedError(_CHANGED)
        if not self._exchanged():
            self.beside.replace(self.target)
        elif not _surely_holds(self.beside, self.new.expected):  # saved since the last look
            self._put_back()
            raise WriteRefusedError(_CHANGED)

    def taken_back(self) -> bool:
        """Whether the target holds what it did; False where somebody has changed it since."""
        try:
            if _holds(self.target, self.new.expected):
                return True
            return self._take_back()
        except (WriteRefusedError, OSError):
            return False

    def _take_back(self) -> bool:
        made = digest(self.new.data)
        if not _holds(self.target, made):
            return False
        if not _surely_holds(self.beside, self.new.expected) or not self._exchanged():
            replace_file(self.target, self.old, made)
        elif not _surely_holds(self.beside, made):
            self._put_back()
            return False
        return True

    def _exchanged(self) -> bool:
        """Whether the two have changed places, which is also told to editors that watch the folder:
        VS Code takes an exchange for no change, and goes on showing the old text."""
        done = exchange(self.beside, self.target)
        with contextlib.suppress(OSError, NotImplementedError):
            if done:
                os.utime(self.target, follow_symlinks=False)
        return done

    def _put_back(self) -> None:
        """What somebody has saved at the last moment goes where it belongs; at worst it is kept."""
        try:
            if self._exchanged():
                return
        except OSError:
            pass
        kept = self.target.with_name(f"{self.target.name}.saved")
        os.link(self.beside, kept)
        raise WriteRefusedError(f"{_CHANGED}; what was saved is in {kept}")


@contextlib.contextmanager
def _prepared(new: Replacement) -> Iterator[_Prepared]:
    target = _target(new)
    if not os.access(target, os.W_OK):
        # A rename would go through: it asks for the folder's permission, not the file's.
        raise WriteRefusedError("it is read-only" if target.exists() else _GONE)
    names = target.stat().st_nlink
    if names > 1:  # whoever wants the others to stay the same file would not hear of it
        raise WriteRefusedError(f"it has {names} hard links, which would no longer be one file")
    old = target.read_bytes()
    if digest(old) != new.expected:
        raise WriteRefusedError(_CHANGED)
    with complete(new.data, target.parent) as beside:
        keep_rights(target, beside)
        yield _Prepared(new, target, beside, old)


def _target(new: Replacement) -> Path:
    return Path(os.path.realpath(new.path))


def _holds(path: Path, expected: str) -> bool:
    return digest(path.read_bytes()) == expected


def _surely_holds(path: Path, expected: str) -> bool:
    with contextlib.suppress(OSError):
        return _holds(path, expected)
    return False


def _reason(error: WriteRefusedError | OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return _GONE
    return reason_of(error) if isinstance(error, OSError) else str(error)


def write_private(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` at once or not at all, readable by its owner only.

    It survives that the power goes. Raises `OSError`.
    """
    with at_work_in([path.parent]), complete(data, path.parent) as new:
        new.replace(path)
    settle([path.parent])


def make_private_folder(folder: Path) -> None:
    """``folder`` is there, and stays if the power goes. Raises `OSError`."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    settle(one.parent for one in missing)


def settle(folders: Iterable[Path]) -> None:
    """What files are called in ``folders`` survives that the power goes, from now on.

    Raises `OSError`, but where a file system does not know that.
    """
    if not hasattr(os, "O_DIRECTORY"):
        return
    for folder in sorted(set(folders)):
        try:
            number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(number)
            finally:
                os.close(number)
        except OSError as error:
            if error.errno not in _CANNOT_SETTLE:
                raise


def keep_rights(old: Path, new: Path) -> None:
    """``new``, which is to replace ``old``, gets its owner, mode, ACL and extended attributes.

    Python knows the last two on Linux only. Raises `OSError` where others could do more with
    ``new`` than with ``old``.
    """
    known = old.stat()
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give a file away
            os.chown(new, known.st_uid, known.st_gid)
    if hasattr(os, "listxattr"):
        _keep_attributes(old, new)
    new.chmod(stat.S_IMODE(known.st_mode))


def _keep_attributes(old: Path, new: Path) -> None:
    try:
        names = os.listxattr(old)
        if _ACL in {*os.listxattr(new)}.difference(names):  # the folder gives one to what is new
            os.removexattr(new, _ACL)
    except OSError as error:
        if error.errno in _NO_ATTRIBUTES:
            return
        raise
    for name in names:
        try:
            os.setxattr(new, name, os.getxattr(old, name))
        except OSError:
            if name == _ACL:  # without it, the mode would grant the group what it grants to others
                raise
