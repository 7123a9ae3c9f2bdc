"""The program's own modules come out of the copy that runs, wherever they were installed from."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from typing import Any, Final

from devicefix.observe.witness.assignment import Roots

_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def relocate(roots: Roots) -> None:
    """Redirect all ways of importing that lead into the original tree.

    These are entries of `sys.path`, from ``PYTHONPATH`` or ``.pth`` files, and the tables of the
    finders by which packages are installed as editable.
    """
    sys.path[:] = [_moved(roots, entry) or entry for entry in sys.path]
    for table in _tables():
        _redirect(roots, table)
    sys.path_importer_cache.clear()


def strangers(roots: Roots) -> list[str]:
    """Files of the original tree that were imported all the same."""
    return sorted(file for file in _files() if _lost(roots, file))


def loaded(roots: Roots) -> list[str]:
    """Files of the copy that the program consists of: those that it has run or imported."""
    inside = roots.scratch + os.sep
    return sorted(file for file in set(_files()) if file.startswith(inside))


def _files() -> Iterator[str]:
    """Where modules come from. Of a script that has run only its loader says it still: Python takes
    the name of the file away (pythonrun.c, `_PyRun_SimpleFileObject`).
    """
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is None and name == "__main__":
            file = getattr(getattr(module, "__loader__", None), "path", None)
        if isinstance(file, str):
            yield file


def _lost(roots: Roots, file: str) -> bool:
    if _is_installed(file):
        return False
    return any(roots.moved(path) for path in (file, _real(file)))


def _real(file: str) -> str:
    """As `os.path.realpath`: of many files in one folder that looks at each folder many times."""
    if os.path.islink(file):  # noqa: PTH114
        return os.path.realpath(file)
    folder, name = os.path.split(file)
    return os.path.join(_real_folder(folder), name)  # noqa: PTH118


@functools.cache
def _real_folder(folder: str) -> str:
    return os.path.realpath(folder)


def _moved(roots: Roots, path: str) -> str | None:
    """Where ``path`` is in the copy, if it is there: environments of Python are not copied."""
    for form in (path, os.path.realpath(path)):
        moved = roots.moved(form)
        if moved is not None and not _is_installed(form) and os.path.exists(moved):  # noqa: PTH110
            return moved
    return None


def _is_installed(path: str) -> bool:
    inside = path + os.sep
    return any(part in inside for part in _INSTALLED) or inside.startswith(
        _real_folder(sys.prefix) + os.sep
    )


def _tables() -> Iterator[dict[Any, Any]]:
    """Dicts that finders look modules up in: their own, and globals of the module they are from."""
    for finder in list(sys.meta_path):
        kind = finder if isinstance(finder, type) else type(finder)
        around = vars(sys.modules.get(kind.__module__, sys))
        for holder in (getattr(finder, "__dict__", {}), vars(kind)):
            yield from (value for value in list(holder.values()) if isinstance(value, dict))
        if "MAPPING" in around:
            tables = (around.get(name) for name in ("MAPPING", "NAMESPACES"))
            yield from (table for table in tables if isinstance(table, dict))


def _redirect(roots: Roots, table: dict[Any, Any]) -> None:
    for key, value in list(table.items()):
        if isinstance(value, str):
            table[key] = _moved(roots, value) or value
        elif isinstance(value, list):
            value[:] = [
                (_moved(roots, one) or one) if isinstance(one, str) else one for one in value
            ]
