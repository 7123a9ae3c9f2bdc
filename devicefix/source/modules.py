"""Which file of a project an import statement means.

Python takes the first folder of ``sys.path`` that has the first part of a dotted name: that of the
script, then those that the user or the installer named (docs.python.org/3/reference/import.html).
The files alone do not tell the latter, so the folders above the importer are tried, nearest first,
and after them any folder of the project, if only one will do.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

_SEPARATOR: Final = os.sep
_SUFFIX: Final = ".py"
_PACKAGE: Final = "__init__"
_SOURCES: Final = "src"
"""The folder for packages in projects of that layout."""
_SETUP: Final = "setup"
"""The script that installs a project."""
_LIBRARY: Final = "torch"
"""Never a file of the project, whatever lies beside the importer."""


class ModuleIndex:
    """The modules of one project, by where they lie; nothing is imported, no disk is touched."""

    def __init__(
        self, files: Iterable[str], foreign: Callable[[], Collection[str]] = tuple
    ) -> None:
        """Index ``files``: all Python files of the project.

        ``foreign`` gives the first parts of the names of well-known libraries. Like those of the
        standard library, they mean a file of the project only to a script beside it, and inside a
        package of that name.
        """
        self._given = tuple(files)
        self._libraries = foreign
        self._resolved: dict[tuple[str, str, int], str] = {}
        """What was asked from a folder; its files mean the same, but for their own names."""
        self._started: dict[str, dict[str, list[str]]] = {}

    def find(self, importer: str, module: str, level: int = 0) -> str | None:
        """The file that ``module``, behind ``level`` dots, means in ``importer``.

        None for what is no file of the project, and for a folder without ``__init__.py``.
        """
        return self._files.get(self._resolve(importer, module, level))

    def look_up(self, importer: str, module: str, level: int = 0) -> tuple[str | None, bool]:
        """What `find` says, and what `is_package`."""
        path = self._resolve(importer, module, level)
        return self._files.get(path), path in self._folders and not self._is_plain(path)

    def is_package(self, importer: str, module: str, level: int = 0) -> bool:
        """Whether ``module`` means a folder of the project, with ``__init__.py`` or without."""
        return self.look_up(importer, module, level)[1]

    def is_in_package(self, file: str) -> bool:
        """Whether ``file`` lies in a folder with ``__init__.py``."""
        return _parent(_stem(file)) in self._packages

    def is_at_top(self, file: str) -> bool:
        """Whether ``file`` lies in the folder that holds all of the project, and in no package."""
        return _parent(_stem(file)) == self._top and not self.is_in_package(file)

    def is_installed(self, file: str) -> bool:
        """Whether a ``setup.py`` beside the package of ``file`` (or beside ``src``) installs it."""
        folder = _parent(_stem(file))
        while folder in self._packages:
            folder = _parent(folder)
        roots = [folder, _parent(folder)] if folder.endswith(_SEPARATOR + _SOURCES) else [folder]
        return any(_join(root, _SETUP) in self._files for root in roots)

    def above(self, file: str, start: str) -> list[str]:
        """The files whose names begin with ``start`` beside ``file`` or in a folder above it, the
        nearest first."""
        folder, found = _parent(_stem(file)), list[str]()
        while folder:
            found += self._starting(start).get(folder, ())
            folder = _parent(folder) if folder != self._top else ""
        return found

    def starting(self, start: str) -> Iterator[str]:
        """All files of the project whose names begin with ``start``."""
        for files in self._starting(start).values():
            yield from files

    @functools.cached_property
    def fingerprint(self) -> str:
        """A digest of the files, by name: another one may give other answers."""
        names = [file for file in self._given if file.endswith(_SUFFIX)]
        whole = all(map(os.path.isabs, names))
        content = json.dumps(["" if whole else str(Path.cwd()), *names])
        return hashlib.blake2b(content.encode(), digest_size=20).hexdigest()

    # -- building, when it is first asked: many runs ask nothing ----------------------------------

    @functools.cached_property
    def _foreign(self) -> frozenset[str]:
        return sys.stdlib_module_names.union(self._libraries())

    @functools.cached_property
    def _stems(self) -> dict[str, str]:
        """The whole path of each file, without its suffix."""
        return {file: _stem(file) for file in self._given if file.endswith(_SUFFIX)}

    @functools.cached_property
    def _files(self) -> dict[str, str]:
        """The file of each module, by its path without the suffix."""
        found: dict[str, str] = {}
        for file, path in self._stems.items():
            folder, _, name = path.rpartition(_SEPARATOR)
            if name == _PACKAGE:
                found[folder] = file  # a package comes before a module of its name
            else:
                found.setdefault(path, file)
        return found

    @functools.cached_property
    def _packages(self) -> frozenset[str]:
        """The folders with an ``__init__.py``."""
        split = (path.rpartition(_SEPARATOR) for path in self._stems.values())
        return frozenset(folder for folder, _, name in split if name == _PACKAGE)

    def _starting(self, start: str) -> dict[str, list[str]]:
        """The files whose names begin so, by folder."""
        if start not in self._started:
            found = self._started[start] = dict[str, list[str]]()
            for file, path in self._stems.items():
                folder, _, name = path.rpartition(_SEPARATOR)
                if name.startswith(start):
                    found.setdefault(folder, []).append(file)
        return self._started[start]

    @functools.cached_property
    def _top(self) -> str:
        return _common({_parent(path) for path in self._stems.values()})

    @functools.cached_property
    def _folders(self) -> frozenset[str]:
        """Those that hold files, and those between them and the top of the project."""
        found = {_parent(path) for path in self._stems.values()}
        for folder in tuple(found):
            while folder != self._top:
                folder = _parent(folder)
                found.add(folder)
        return frozenset(found)

    @functools.cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """Files and folders by the last part of their paths."""
        found: dict[str, list[str]] = {}
        for path in sorted(self._folders.union(self._files) - {self._top}):
            found.setdefault(path.rpartition(_SEPARATOR)[2], []).append(path)
        return found

    # -- resolving ---------------------------------------------------------------------------------

    def _resolve(self, importer: str, module: str, level: int) -> str:
        """The path of a module (without its suffix) or folder of the project; empty for others."""
        here = self._stems.get(importer) or _stem(importer)
        parts = module.split(".") if module else []
        folder, _, name = here.rpartition(_SEPARATOR)
        if parts and name in (parts[0], parts[-1]):
            return self._found(here, parts, level)  # it may be called like what it wraps
        key = folder, module, level
        if key not in self._resolved:
            self._resolved[key] = self._found(here, parts, level)
        return self._resolved[key]

    def _found(self, here: str, parts: Sequence[str], level: int) -> str:
        if level:
            for _ in range(level):
                here = _parent(here)
            return self._below(here, parts)
        if not parts or parts[0] == _LIBRARY:
            return ""
        for root in self._roots(here, parts[0]):
            path = self._below(root, parts)
            if path == self._top and path not in self._packages:
                continue  # the project is no package of its own
            if path or self._binds(_join(root, parts[0]), parts):
                return path  # a folder without __init__.py binds only what is in it
        return "" if parts[0] in self._foreign else self._elsewhere(here, parts)

    def _roots(self, here: str, first: str) -> Iterator[str]:
        """The folders that may stand in ``sys.path`` and may hold ``first``, nearest first."""
        own = folder = _parent(here)
        is_foreign = first in self._foreign
        if first in sys.builtin_module_names:
            return
        is_itself = _join(own, first) == here  # a wrapper that is called like what it wraps
        if not is_itself and not (is_foreign and own in self._packages):
            yield own
        if is_foreign and _SEPARATOR + first + _SEPARATOR not in here:
            return  # nothing of that name lies above
        while folder != _parent(folder):
            folder = _parent(folder)
            if not is_foreign:
                yield folder
                yield _join(folder, _SOURCES)
            elif here.startswith(_join(folder, first) + _SEPARATOR):
                yield folder

    def _elsewhere(self, here: str, parts: Sequence[str]) -> str:
        """The only fit, as near to ``here`` as any, for programs that change ``sys.path``.

        The folder that they add holds packages, and so is none itself; but for one of their own.
        """
        tail = _join("", *parts)
        found = [
            path
            for path in self._by_name.get(parts[-1], ())
            if path.endswith(tail) and self._below(path[: -len(tail)], parts)
        ]
        files = [path for path in found if path in self._files]  # a bare folder defines nothing
        roots = [path[: -len(tail)] for path in files or found]
        own = _parent(here) + _SEPARATOR
        near = [len(_common((own, root))) for root in roots]
        nearest = [r for r, length in zip(roots, near, strict=True) if length == max(near)]
        fits = [r for r in nearest if r not in self._packages or r.startswith(own)]
        return fits[0] + tail if len(fits) == 1 and fits[0] + tail != here else ""

    def _binds(self, path: str, parts: Sequence[str]) -> bool:
        """Whether Python looks no further. A module that holds no others is not what is asked for
        by a name with dots: the program has changed ``sys.path``."""
        return path in self._files and not (len(parts) > 1 and self._is_plain(path))

    def _below(self, folder: str, parts: Sequence[str]) -> str:
        """The path of a module below ``folder``; empty where there is none."""
        path = folder
        for number, part in enumerate(parts):
            if number and self._is_plain(path):
                return ""
            path = _join(path, part)
        return path if path in self._files or path in self._folders else ""

    def _is_plain(self, path: str) -> bool:
        """Whether ``path`` is a module that holds no other modules."""
        return path in self._files and path not in self._packages


def _stem(file: str) -> str:
    return os.path.abspath(file).removesuffix(_SUFFIX)  # noqa: PTH100  much faster


def _common(folders: Collection[str]) -> str:
    """The deepest folder that holds them all; empty for the root of the file system."""
    split = [folder.split(_SEPARATOR) for folder in folders] or [[""]]
    first, last = min(split), max(split)
    while last[: len(first)] != first:
        first.pop()
    return _join(*first)


def _parent(path: str) -> str:
    return path.rpartition(_SEPARATOR)[0]


def _join(*parts: str) -> str:
    return _SEPARATOR.join(parts)
