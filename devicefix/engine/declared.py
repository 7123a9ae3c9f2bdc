"""Which torch a project says that it needs: to package managers, or else to its readers.

The nearest folder counts that says anything, from that of a file up to the top of its repository;
without one, up to the folders that were given. In a folder the files are asked in the order of
`READERS`; of those that one pattern names, and of what one file says in several places (extras,
markers), the lowest version counts. What people read (`PAGES`) is asked in the same way where no
folder has any of those that says something.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
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
PAGES: Final = tuple(
    f"{page}{end}"
    for page in ("readme", "install", "docs/install", "readme/install")
    for end in ("", ".md", ".rst", ".txt", ".markdown")
)
"""Those for people, in small letters; their names may have any. All that a folder has count."""


class Declarations:
    """What the folders above some files say; each is looked into once."""

    def __init__(self, paths: Iterable[Path]) -> None:
        """``paths`` are those that were given: files, and folders."""
        given = (path.absolute() for path in paths)
        self._tops = {os.fspath(path if path.is_dir() else path.parent) for path in given}
        self._known: dict[tuple[str, bool], OldestTorch | None] = {}
        self._repositories: dict[str, bool] = {}

    def oldest(self, files: Iterable[str]) -> OldestTorch | None:
        """The oldest torch that is declared for any of ``files``; None where nothing is said."""
        folders = {os.path.dirname(os.path.abspath(file)) for file in files}  # noqa: PTH100, PTH120
        return _lowest(
            self._nearest(folder, pages=False) or self._nearest(folder, pages=True)
            for folder in sorted(folders)
        )

    def _nearest(self, folder: str, *, pages: bool) -> OldestTorch | None:
        if (folder, pages) not in self._known:
            found = (_said_to_readers if pages else _said_in)(Path(folder))
            above = os.path.dirname(folder)  # noqa: PTH120
            goes_on = found is None and not _is_top(folder) and above != folder
            if goes_on and (folder not in self._tops or self._is_in_repository(above)):
                found = self._nearest(above, pages=pages)
            self._known[folder, pages] = found
        return self._known[folder, pages]

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
    names = _names_in(folder)
    for pattern, reader in READERS:
        inner, _, last = pattern.rpartition("/")
        inside = names if not inner else _names_in(folder / inner) if inner in names else ()
        files = [folder / inner / name for name in inside if fnmatchcase(name, last)]
        if found := _lowest(_said_by(file, reader) for file in files):
            return found
    return None


def _said_to_readers(folder: Path) -> OldestTorch | None:
    names = [(folder, "", name) for name in _names_in(folder)]
    for inner in ("docs", "readme"):
        found = [name for _, _, name in names if name.lower() == inner]
        names += [
            (folder / one, f"{inner}/", name) for one in found for name in _names_in(folder / one)
        ]
    pages = [place / name for place, inner, name in names if f"{inner}{name.lower()}" in PAGES]
    return _lowest(_said_by(page, "of_readme") for page in pages)


def _names_in(folder: Path) -> Sequence[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  a name for each entry will do
    except OSError:
        return ()


def _lowest(said: Iterable[OldestTorch | None]) -> OldestTorch | None:
    found = [one for one in said if one is not None]
    return min(found, key=lambda one: one.version, default=None)


def _said_by(file: Path, reader: str) -> OldestTorch | None:
    text = _text(file)
    if "torch" not in text.lower():
        return None
    from devicefix.engine import readme, requirements  # with parsers that most runs need not

    read = readme.of_readme if reader == "of_readme" else getattr(requirements, reader)
    version: Version | None = requirements.oldest(read(text))
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
