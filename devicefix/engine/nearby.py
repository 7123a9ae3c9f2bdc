"""The files around those that were given: read where they are imported, never changed."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from devicefix.engine.discovery import Filters, is_excluded

MOST_ENTRIES: Final = 20_000
"""Files and folders that are looked at, some 50 ms; a script may lie beside a million images."""
_TOP: Final = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
"""What lies at the top of a project."""


def wider_roots(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The folders of the projects of ``paths``, as far as they reach beyond these.

    A project is the folder of a file, or the one that holds the package that it is part of; for a
    folder that is given it is the whole package.
    """
    return tuple(dict.fromkeys(root for path in paths for root in _wider_root(path)))


def files_around(roots: Iterable[Path], exclude: Sequence[str]) -> tuple[Path, ...]:
    """The Python files below ``roots``; what is nearer to the top is looked into first."""
    return tuple(itertools.chain.from_iterable(_walk(root, exclude) for root in roots))


def _wider_root(path: Path) -> Iterator[Path]:
    given = Path(os.path.normpath(path.absolute()))
    is_file = not given.is_dir()
    root = given.parent if is_file else given
    while _is_package(root) and (is_file or _is_package(root.parent)) and not _is_top(root):
        root = root.parent
    if root != given:
        yield root


def _is_package(folder: Path) -> bool:
    return (folder / "__init__.py").is_file()


def _is_top(folder: Path) -> bool:
    """Whether a project begins here, even if there is an ``__init__.py`` by mistake."""
    return any((folder / name).exists() for name in _TOP)


def project_of(file: Path) -> Path:
    """The folder to look at when one file is to be seen as a part of its project.

    That is its git repository; without one the nearest folder at or above that looks like the top
    of a project, else the folder that holds its package.
    """
    given = Path(os.path.normpath(file.absolute()))
    for names in ((".git",), _TOP):
        for folder in given.parents:
            if any((folder / name).exists() for name in names):
                return folder
    return next(_wider_root(file))


def repository_of(path: Path) -> Path:
    """The folder to look at for what a project has: its git repository, or where it looks like the
    top of one, else the folder that is given, or the one of the file."""
    given = Path(os.path.normpath(path.absolute()))
    folders = [given, *given.parents] if given.is_dir() else [*given.parents]
    for names in ((".git",), _TOP):
        for folder in folders:
            if any((folder / name).exists() for name in names):
                return folder
    return folders[0]


def _walk(root: Path, exclude: Sequence[str]) -> Iterator[Path]:
    real = Path(os.path.realpath(root))
    waiting = deque([(real, Filters.at(real, exclude))])
    budget = MOST_ENTRIES
    while waiting:
        folder, filters = waiting.popleft()
        entries = _entries(folder, budget)
        budget -= len(entries)
        filters = filters.inside(folder)
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder and not is_excluded(entry) and not filters.drop(entry.path, is_folder):
                waiting.append((Path(entry.path), filters))
            elif _is_module(entry) and not filters.drop(entry.path, is_folder):
                yield root / Path(entry.path).relative_to(real)


def _entries(folder: Path, most: int) -> list[os.DirEntry[str]]:
    """What is in ``folder``, by name; nothing of it where that is more than ``most``."""
    try:
        with os.scandir(folder) as found:
            entries = list(itertools.islice(found, most + 1))
    except OSError:
        return []
    return sorted(entries, key=lambda entry: entry.name) if len(entries) <= most else []


def _is_module(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(".py") and entry.is_file(follow_symlinks=False)
