"""Which files to work on: files as they are given, folders walked, .gitignore honoured."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct
from pathspec import GitIgnoreSpec

from devicefix.engine.overlay import NOTHING, Overlay
from devicefix.engine.patterns import patterns_of
from devicefix.engine.real_paths import RealPaths
from devicefix.engine.report import FileError
from devicefix.source import NOTEBOOK

SUFFIXES: Final = (".py", NOTEBOOK)
"""What is looked for in folders; given by name, a file may have any other, too."""
_STUB: Final = ".pyi"

DEFAULT_EXCLUDES: Final = (
    ".git",
    ".hg",
    ".svn",
    ".bzr",
    ".venv",
    "venv",
    "__pycache__",
    "__pypackages__",
    "node_modules",
    "site-packages",
    "build",
    "dist",
    ".eggs",
    "*.egg-info",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".ipynb_checkpoints",
)
"""Names of folders that are not walked into; given by name, they are."""
_WILD: Final = tuple(pattern for pattern in DEFAULT_EXCLUDES if "*" in pattern)
_VENV: Final = f"{os.sep}pyvenv.cfg"


class Discovery(Struct, frozen=True):
    """The files in a stable order, each once, and the paths that could not be looked into."""

    files: tuple[Path, ...]
    errors: tuple[FileError, ...]


class _Ignores(Struct, frozen=True):
    """The patterns that hold below one folder."""

    folder: str
    patterns: GitIgnoreSpec

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """True: ignored; False: taken back by a ``!`` pattern; None: not mentioned."""
        if not self.patterns.patterns:
            return None
        relative = self._relative(path)
        if relative.startswith("../"):
            return None
        return self.patterns.check_file(relative + "/" * is_folder).include

    def _relative(self, path: str) -> str:
        start = os.path.join(self.folder, "")  # noqa: PTH118
        below = path[len(start) :] if path.startswith(start) else ""
        # relpath asks for the current folder and takes both apart, each time
        return (below or os.path.relpath(path, self.folder)).replace(os.sep, "/")


class _Found(NamedTuple):
    shown: Path
    real: str = ""
    """Its path without links, where that is known."""


def discover(
    paths: Sequence[Path], exclude: Sequence[str] = (), overlay: Overlay = NOTHING
) -> Discovery:
    """The Python files and notebooks that ``paths`` name.

    ``exclude`` holds patterns as .gitignore writes them, against the path below the folder given or
    below the working directory. A file reached by two ways (twice given, or by a link) comes once.
    One of ``overlay`` that is given by name need not be there.
    """
    files: dict[str, Path] = {}
    errors: list[FileError] = []
    real = RealPaths()
    for path in paths:
        for found in _expand(path, exclude, overlay):
            if isinstance(found, FileError):
                errors.append(found)
            else:
                files.setdefault(found.real or real(found.shown), found.shown)
    return Discovery(tuple(files.values()), tuple(errors))


def without_excluded(paths: Iterable[Path], exclude: Sequence[str]) -> tuple[Path, ...]:
    """Those of ``paths`` that are, or lie in, nothing that is passed over in the current folder.

    For commands that get their files from another one, which knows nothing of ours.
    """
    here = _Ignores(str(Path.cwd()), patterns_of(exclude))
    return tuple(path for path in paths if not _is_passed_over(path, here))


def _is_passed_over(path: Path, here: _Ignores) -> bool:
    absolute = os.path.normpath(path.absolute())
    if here.verdict(absolute, is_folder=Path(absolute).is_dir()):
        return True
    if not Path(absolute).is_relative_to(here.folder):
        return False
    folders = Path(absolute).relative_to(here.folder).parts[:-1]
    return any(map(_is_excluded, folders))


def _expand(path: Path, exclude: Sequence[str], overlay: Overlay) -> Iterator[_Found | FileError]:
    try:
        mode = _mode(path, overlay)
    except (OSError, ValueError) as error:
        yield FileError(str(path), None, reason_of(error))
        return
    if stat.S_ISDIR(mode):
        yield from _walk_root(path, exclude)
    elif path.name.endswith(_STUB):
        yield FileError(str(path), None, "is a type stub, which has no devices: skipped")
    elif stat.S_ISREG(mode):
        yield _Found(path)
    else:
        yield FileError(str(path), None, "neither a file nor a folder")


def _mode(path: Path, overlay: Overlay) -> int:
    """What kind of file ``path`` is."""
    return path.stat().st_mode if overlay.text(path) is None else stat.S_IFREG


def reason_of(error: OSError | ValueError) -> str:
    """What the operating system said, without the path, which the caller names."""
    text = error.strerror if isinstance(error, OSError) else str(error)
    return (text or type(error).__name__).lower()


def _walk_root(root: Path, exclude: Sequence[str]) -> Iterator[_Found | FileError]:
    folder = Path(os.path.realpath(root))
    links: list[_Found] = []
    yield from _walk(root, folder, _Walk(folder, links), Filters.at(folder, exclude))
    yield from links  # last, so that a file keeps its own name where a link names it too


def _outer_ignores(folder: Path) -> Iterator[_Ignores]:
    """The .gitignore files above ``folder``, outermost first, up to the root of its repository."""
    above: list[Path] = []
    for here in (folder, *folder.parents):
        if os.path.lexists(here / ".git"):
            for parent in reversed(above):
                yield from _ignores_in(parent)
            return
        above.append(here.parent)
    # No repository: what lies above is none of git's business.


def _ignores_in(folder: Path) -> Iterator[_Ignores]:
    location = os.path.join(folder, ".gitignore")  # noqa: PTH118
    if not os.path.lexists(location):
        return
    if os.path.islink(location) or not os.path.isfile(location):  # noqa: PTH113, PTH114
        return  # nor does git follow such a link
    try:
        lines = Path(location).read_bytes().decode("utf-8-sig", "replace").split("\n")
    except OSError:
        return
    yield _Ignores(str(folder), patterns_of(_understood(lines)))


def _understood(lines: Iterable[str]) -> Iterator[str]:
    """The patterns that mean something; git passes over the others in silence too."""
    for line in lines:
        try:
            patterns_of([line])
        except ValueError:
            continue
        yield line


def _ignored(ignores: Sequence[_Ignores], path: str, is_folder: bool) -> bool:
    for ignore in reversed(ignores):  # the nearest one that mentions it decides
        verdict = ignore.verdict(path, is_folder)
        if verdict is not None:
            return verdict
    return False


class Filters(Struct, frozen=True):
    """What the settings exclude, which nothing takes back, and what git ignores."""

    excludes: tuple[_Ignores, ...]
    ignores: tuple[_Ignores, ...]

    @classmethod
    def at(cls, root: Path, exclude: Sequence[str]) -> Filters:
        """What holds for ``root`` (a real path), which was asked for by name."""
        excludes = patterns_of(exclude)
        outer = tuple(_outer_ignores(root))
        if _ignored(outer, str(root), is_folder=True):
            outer = ()
        here = (str(Path.cwd()), str(root))
        return cls(tuple(_Ignores(place, excludes) for place in here), outer)

    def drop(self, path: str, is_folder: bool) -> bool:
        """Whether to pass over ``path``, which lies in the folder that these are for."""
        return _ignored(self.excludes, path, is_folder) or _ignored(self.ignores, path, is_folder)

    def inside(self, folder: Path) -> Filters:
        """What holds in ``folder``, one level down or the root itself."""
        return Filters(self.excludes, (*self.ignores, *_ignores_in(folder)))


class _Walk(NamedTuple):
    root: Path
    links: list[_Found]


def _walk(shown: Path, folder: Path, walk: _Walk, filters: Filters) -> Iterator[_Found | FileError]:
    """The files below ``folder`` (a real path), in the order of their names, files first."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield FileError(str(shown), None, reason_of(error))
        return
    filters = filters.inside(folder)
    folders = []
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            folders.append(entry)
        elif entry.name.endswith(SUFFIXES) and not filters.drop(entry.path, is_folder=False):
            yield from _file(shown / entry.name, entry, walk)
    for entry in folders:
        if not is_excluded(entry) and not filters.drop(entry.path, is_folder=True):
            yield from _walk(shown / entry.name, Path(entry.path), walk, filters)


def is_excluded(folder: os.DirEntry[str]) -> bool:
    """Whether nobody walks into ``folder`` unless it is given by name."""
    if _is_excluded(folder.name):
        return True
    return os.path.exists(folder.path + _VENV)  # noqa: PTH110  a venv of any name


def _is_excluded(name: str) -> bool:
    return name in DEFAULT_EXCLUDES or any(fnmatchcase(name, pattern) for pattern in _WILD)


def _file(shown: Path, entry: os.DirEntry[str], walk: _Walk) -> Iterator[_Found | FileError]:
    """A regular file, or a link to one that stays inside the folder given."""
    if not entry.is_symlink():
        if entry.is_file():
            yield _Found(shown, entry.path)
        return
    if entry.name.startswith(".#"):  # Emacs locks a file with a link that points nowhere
        return
    try:
        target = Path(os.path.realpath(entry.path, strict=True))
    except OSError as error:
        yield FileError(str(shown), None, f"broken link: {reason_of(error)}")
        return
    if target.is_file() and target.is_relative_to(walk.root):
        walk.links.append(_Found(shown, str(target)))
