"""Imports that take the same names from another module."""

from __future__ import annotations

import ast
import re
from typing import Final

from devicefix.edits.errors import EditError
from devicefix.findings import Edit
from devicefix.source import Source

_FROM: Final = re.compile(r"from(?:[ \t\f]|\\\r?\n)+")


def import_from(source: Source, statement: ast.ImportFrom, module: str) -> Edit:
    """``from a.b import x`` -> ``from module import x``; ``EditError`` where it is relative."""
    start = source.span(statement).start
    match = _FROM.match(source.text, start)
    old = statement.module or ""
    if match is None or statement.level or not source.text.startswith(old, match.end()):
        raise EditError("the module is not written in one piece")
    return Edit(match.end(), match.end() + len(old), 0, module)


def import_as(source: Source, statement: ast.Import, alias: ast.alias, module: str) -> Edit:
    """``import a.b as x`` -> ``import module as x``."""
    start = source.span(alias).start
    if not alias.asname or not source.text.startswith(alias.name, start):
        raise EditError("the module is not written in one piece")
    return Edit(start, start + len(alias.name), 0, module)
