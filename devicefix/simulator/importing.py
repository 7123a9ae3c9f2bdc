"""Hear when a module has been imported, without importing it. Standard library only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class _Telling(Loader):
    """The loader of one module, which gives way to the real one as soon as it is used."""

    def __init__(self, real: Any, tell: Callable[[], None]) -> None:
        self._real = real
        self._tell = tell

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)  # get_source, get_resource_reader, is_package, …

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        created: ModuleType | None = self._real.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._real
        module.__loader__ = self._real
        self._real.exec_module(module)
        self._tell()


class AfterImport(MetaPathFinder):
    """Calls ``tell`` once, right after ``name`` has been imported for the first time.

    ``importlib.util.find_spec(name)`` imports nothing, and so tells nothing.
    """

    def __init__(self, name: str, tell: Callable[[], None]) -> None:
        self._name = name
        self._tell = tell
        self._asking = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification that the other finders give, with our loader around theirs."""
        if fullname != self._name or self._asking:
            return None
        self._asking = True  # another of our kind may be among the others, and would ask us
        try:
            spec = self._ask_others(fullname, path, target)
        finally:
            self._asking = False
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Telling(spec.loader, self._done)
        return spec

    def _ask_others(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                return spec
        return None

    def _done(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
            self._tell()


def after_import(name: str, tell: Callable[[], None]) -> None:
    """Call ``tell`` after the module ``name`` has been imported; at once if it has been already."""
    if name in sys.modules:
        tell()
    else:
        sys.meta_path.insert(0, AfterImport(name, tell))
