"""Replacing a file as a whole or not at all, and several of them all or none."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from devicefix.engine.discovery import reason_of


class WriteRefusedError(Exception):
    """The file was left as it is; the message says why."""


def digest(data: bytes) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def replace_file(path: Path, data: bytes, expected: str) -> None:
    """Put ``data`` into the file at ``path``, whose content must have the digest ``expected``.

    The new content appears at once, under the same mode bits; a link stays and its target is
    replaced. Raises `WriteRefusedError` and `OSError`; then the file is as it was.
    """
    target = Path(os.path.realpath(path))
    if not os.access(target, os.W_OK):
        # A rename would go through: it asks for the folder's permission, not the file's.
        raise WriteRefusedError("it is read-only" if target.exists() else "it is no longer there")
    with _complete(data, target.parent) as new:
        _keep_rights(target.stat(), new)
        if digest(target.read_bytes()) != expected:
            raise WriteRefusedError("it has changed in the meantime")
        new.replace(target)


class Replacement(NamedTuple):
    """The new content of one file."""

    path: str
    data: bytes
    expected: str
    """The digest of what it has to hold now."""


def replace_together(replacements: Sequence[Replacement]) -> dict[str, str]:
    """Replace all files or, where one cannot be, none. Why each was left, by path; empty: all done.

    A file that was replaced and could not be taken back is missing among the reasons.
    """
    done: list[tuple[Replacement, bytes]] = []
    for new in replacements:
        try:
            old = Path(new.path).read_bytes()
            replace_file(Path(new.path), new.data, new.expected)
        except (WriteRefusedError, OSError) as error:
            stuck = {r.path for r, before in done if not _taken_back(r, before)}
            reason = f"{new.path}, which shares a fix with it, could not be"
            others = {r.path: reason for r in replacements if r.path not in stuck}
            return {**others, new.path: _reason(error)}
        done.append((new, old))
    return {}


def _taken_back(made: Replacement, before: bytes) -> bool:
    try:
        replace_file(Path(made.path), before, digest(made.data))
    except (WriteRefusedError, OSError):
        return False
    return True


def _reason(error: WriteRefusedError | OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "it is no longer there"
    return reason_of(error) if isinstance(error, OSError) else str(error)


def write_private(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` at once or not at all, readable by its owner only."""
    with _complete(data, path.parent) as new:
        new.replace(path)


@contextlib.contextmanager
def _complete(data: bytes, folder: Path) -> Iterator[Path]:
    """The path of a new file in ``folder`` that holds ``data``; gone afterwards if still there."""
    handle, name = tempfile.mkstemp(prefix=".devicefix-", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _keep_rights(old: os.stat_result, new: Path) -> None:
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give a file away
            os.chown(new, old.st_uid, old.st_gid)
    new.chmod(stat.S_IMODE(old.st_mode))
