"""Modules of the program, compiled so that their expressions are seen."""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from devicefix.observe.sightings.instrument import instrument
from devicefix.observe.sightings.table import Table
from devicefix.simulator.places import KINDS, Kind


class Compiler:
    """Compiles the files of the program that lie below one folder."""

    def __init__(self, table: Table, root: str) -> None:
        self._table = table
        self._root = os.path.join(os.path.realpath(root), "")  # noqa: PTH118

    def takes(self, path: str) -> bool:
        """Whether the file at ``path`` is the user's own."""
        real = os.path.realpath(path)
        return real.startswith(self._root) and KINDS[real] is Kind.PROGRAM

    def code(self, data: bytes, path: str) -> CodeType | None:
        """The code of a file with these contents; None where it has to be compiled as it is."""
        try:
            text = importlib.util.decode_source(data)
            first = len(self._table)
            tree, watched = instrument(ast.parse(data, path), text, first)
            code: CodeType = compile(tree, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None  # Python says what is wrong; or it is nested too deeply for our calls
        self._table.add(os.path.realpath(path), text, first, watched)
        return code


class _Seeing(SourceFileLoader):
    """The usual loader of a source file; what it compiles is not kept in a cache."""

    def __init__(self, name: str, path: str, compiler: Compiler) -> None:
        super().__init__(name, path)
        self._compiler = compiler

    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        return self._compiler.code(self.get_data(path), path) or super().get_code(fullname)


class Finder(MetaPathFinder):
    """Finds what the others find, and has the program's own files compiled by us."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self._asking = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of the next finder that has one, with our loader where it is due."""
        if self._asking:
            return None
        self._asking = True
        try:
            spec = self._ask_others(fullname, path, target)
        finally:
            self._asking = False
        if spec is None or type(spec.loader) is not SourceFileLoader or spec.origin is None:
            return spec
        if self._compiler.takes(spec.origin):
            spec.loader = _Seeing(fullname, spec.origin, self._compiler)
        return spec

    def _ask_others(self, fullname: str, path: Any, target: Any) -> ModuleSpec | None:
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(fullname, path, target)
                if spec is not None:
                    return spec
        return None
