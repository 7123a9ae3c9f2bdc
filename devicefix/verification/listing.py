"""What of a source tree goes into the copy that a program runs in."""

from __future__ import annotations

import enum
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from devicefix.verification.errors import LaunchError

_LEFT_OUT: Final = frozenset(
    {
        *(".git", ".hg", ".svn", ".bzr", ".jj"),
        *("node_modules", "__pycache__", ".ipynb_checkpoints"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".nox"),
    }
)
"""Folders that belong to tools and not to the program."""
_POINTER: Final = ".git"
"""As a file it leads from a worktree or a submodule to its repository: git, run in the copy, would
take the copy for the tree. https://git-scm.com/docs/gitrepository-layout"""
_ENVIRONMENT_MARKS: Final = ("pyvenv.cfg", "conda-meta")
MOST_MEMBERS: Final = 200_000
"""Files and folders; a home folder is named by mistake."""
_NAMED: Final = 3

Stamp = tuple[int, int, int, int]
"""Changes whenever a file is written to: modification and change time, size, inode."""


class Kind(enum.Enum):
    """What stands at a path."""

    FOLDER = "folder"
    FILE = "file"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Member:
    """One thing in a tree."""

    kind: Kind
    mode: int
    size: int = 0
    mtime_ns: int = 0
    target: str = ""
    """Of a link, so that it means in a copy of the tree what it means in the tree: relative where
    it points into it."""


@dataclass(slots=True)
class Listing:
    """What is copied of one tree."""

    root: Path
    members: dict[str, Member] = field(default_factory=dict)
    """By path below the root, with ``/``; folders before what is in them."""
    unreadable: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(member.size for member in self.members.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be copied."""
        if not self.unreadable:
            return ()
        named = ", ".join(self.unreadable[:_NAMED])
        more = len(self.unreadable) - _NAMED
        return (f"not copied, as it cannot be read: {named}{f' and {more} more' * (more > 0)}",)

    def largest(self) -> str:
        """The folders below the root that hold most."""
        sizes: Counter[str] = Counter()
        for path, member in self.members.items():
            sizes[path.partition("/")[0]] += member.size
        return ", ".join(f"{name} ({gigabytes(size)})" for name, size in sizes.most_common(_NAMED))


def list_tree(root: Path, without: Path | None = None) -> Listing:
    """Everything below ``root`` but caches, version control, virtual environments and ``without``.

    Raises `LaunchError` where there is no such folder, or far too much in it.
    """
    found = Listing(root)
    skipped = _identity(without) if without is not None else None
    waiting = [("", root)]
    while waiting:
        prefix, folder = waiting.pop()
        for entry in _entries(folder, prefix, found):
            if skipped is None or _identity(Path(entry.path)) != skipped:
                _add(found, prefix + entry.name, entry, waiting)
        if len(found.members) > MOST_MEMBERS:
            raise LaunchError(
                f"{root} holds more than {MOST_MEMBERS:,} files, too many for a copy; "
                "run it from a smaller folder"
            )
    return found


def _entries(folder: Path, prefix: str, found: Listing) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError as error:
        if not prefix:
            raise LaunchError(f"{folder} cannot be read: {error.strerror}") from None
        found.unreadable.append(prefix)


def _add(
    found: Listing, path: str, entry: os.DirEntry[str], waiting: list[tuple[str, Path]]
) -> None:
    """Sockets, pipes and device files are left out, too: nothing can be copied of them."""
    known = entry.stat(follow_symlinks=False)
    mode = stat.S_IMODE(known.st_mode) & 0o777
    if stat.S_ISLNK(known.st_mode):
        target = _target(found.root, Path(entry.path))
        found.members[path] = Member(Kind.LINK, mode, target=target)
    elif stat.S_ISDIR(known.st_mode):
        if entry.name not in _LEFT_OUT and not _is_environment(entry.path):
            found.members[path] = Member(Kind.FOLDER, mode)
            waiting.append((f"{path}/", Path(entry.path)))
    elif stat.S_ISREG(known.st_mode) and entry.name != _POINTER:
        if os.access(entry.path, os.R_OK):
            found.members[path] = Member(Kind.FILE, mode, known.st_size, known.st_mtime_ns)
        else:
            found.unreadable.append(path)


def _is_environment(folder: str) -> bool:
    return any(os.path.lexists(f"{folder}/{mark}") for mark in _ENVIRONMENT_MARKS)


def _target(root: Path, link: Path) -> str:
    """What a copy of ``link`` has to hold."""
    target = os.readlink(link)  # noqa: PTH115 - a Path would drop a trailing slash
    meant = Path(os.path.normpath(link.parent / target))
    for place in (meant, Path(os.path.realpath(meant))):
        if place.is_relative_to(root):
            is_relative = not Path(target).is_absolute() and place is meant
            return target if is_relative else os.path.relpath(place, link.parent)
    return str(meant)


def _identity(path: Path) -> tuple[int, int]:
    known = path.lstat()
    return known.st_dev, known.st_ino


def stamp_of(known: os.stat_result) -> Stamp:
    """What changes when the file does."""
    return known.st_mtime_ns, known.st_ctime_ns, known.st_size, known.st_ino


def gigabytes(size: int) -> str:
    """``size`` in bytes, for people."""
    return f"{size / 1e9:.1f} GB"
