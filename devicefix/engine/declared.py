"""Which torch a project says that it needs, in the files that package managers read.

The nearest folder counts that says anything, from that of a file up to the top of its repository;
without one, up to the folders that were given. In a folder the files are asked in the order of
`READERS`; of those that one pattern names, and of what one file says in several places (extras,
markers), the lowest version counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from devicefix.oldest_torch import OldestTorch, Version

MOST_BYTES: Final = 1_000_000
"""Of a file that is read; what people write is a thousandth of that."""
READERS: Final = (
    ("pyproject.toml", "of_pyproject"),
    ("setup.cfg", "of_setup_cfg"),
    ("setup.py", "of_setup"),
    ("requirements*.txt", "of_requirements"),
    ("requirements/*.txt", "of_requirements"),
    ("env*.yml", "of_environment"),
    ("env*.yaml", "of_environment"),
    ("conda*.yml", "of_environment"),
    ("conda*.yaml", "of_environment"),
    ("Pipfile", "of_pipfile"),
)
"""Patterns of names, and the functions of `requirements` that read what they name."""


class Declarations:
    """What the folders above some files say; each is looked into once."""

    def __init__(self, paths: Iterable[Path]) -> None:
        """``paths`` are those that were given: files, and folders."""
        given = (path.absolute() for path in paths)
        self._tops = {os.fspath(path if path.is_dir() else path.parent) for path in given}
        self._known: dict[str, OldestTorch | None] = {}
        self._repositories: dict[str, bool] = {}

    def oldest(self, files: Iterable[str]) -> OldestTorch | None:
        """The oldest torch that is declared for any of ``files``; None where nothing is said."""
        folders = {os.path.dirname(os.path.abspath(file)) for file in files}  # noqa: PTH100, PTH120
        said = [found for found in map(self._nearest, sorted(folders)) if found is not None]
        return min(said, key=lambda found: found.version, default=None)

    def _nearest(self, folder: str) -> OldestTorch | None:
        if folder not in self._known:
            found, above = _said_in(Path(folder)), os.path.dirname(folder)  # noqa: PTH120
            goes_on = found is None and not _is_top(folder) and above != folder
            if goes_on and (folder not in self._tops or self._is_in_repository(above)):
                found = self._nearest(above)
            self._known[folder] = found
        return self._known[folder]

    def _is_in_repository(self, folder: str) -> bool:
        if folder not in self._repositories:
            above = os.path.dirname(folder)  # noqa: PTH120
            more = above != folder and self._is_in_repository(above)
            self._repositories[folder] = _is_top(folder) or more
        return self._repositories[folder]


def _is_top(folder: str) -> bool:
    """Whether it is the top of a repository; a file called ``.git`` makes a submodule, a part."""
    return os.path.isdir(os.path.join(folder, ".git"))  # noqa: PTH112, PTH118


def _said_in(folder: Path) -> OldestTorch | None:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208  a name for each entry will do
    except OSError:
        return None
    for pattern, reader in READERS:
        said = [_said_by(folder / name, reader) for name in _named(folder, names, pattern)]
        found = [one for one in said if one is not None]
        if found:
            return min(found, key=lambda one: one.version)
    return None


def _named(folder: Path, names: Sequence[str], pattern: str) -> Iterator[str]:
    inner, _, last = pattern.rpartition("/")
    if inner:
        try:
            names = sorted(os.listdir(folder / inner)) if inner in names else ()  # noqa: PTH208
        except OSError:
            return
    for name in names:
        if fnmatchcase(name, last):
            yield f"{inner}/{name}" if inner else name


def _said_by(file: Path, reader: str) -> OldestTorch | None:
    text = _text(file)
    if "torch" not in text:
        return None
    from devicefix.engine import requirements  # it brings parsers that most runs need not

    version: Version | None = requirements.oldest(getattr(requirements, reader)(text))
    if version is None:
        return None
    return OldestTorch(version, f"{file.name} allows {'.'.join(map(str, version))}")


def _text(file: Path) -> str:
    """Empty where it cannot be read, or is no file that anybody has written."""
    try:
        if not file.is_file():
            return ""
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except OSError:
        return ""
    return data.decode("utf-8", "replace") if len(data) <= MOST_BYTES else ""
