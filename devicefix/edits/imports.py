"""Imports: taken from another module, or of torch."""

from __future__ import annotations

import ast
import re
import sys
from typing import Final

from devicefix.edits.errors import EditError
from devicefix.edits.preamble import insert_after_imports
from devicefix.edits.statements import insert_after, insert_before, remove_statement
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


def rename_alias(source: Source, alias: ast.alias, name: str) -> Edit:
    """``from a import x as y`` -> ``from a import name as y``."""
    start = source.span(alias).start
    if not source.text.startswith(alias.name, start):
        raise EditError("the name is not written in one piece")
    return Edit(start, start + len(alias.name), 0, name)


def without_import(
    source: Source, statement: ast.Import | ast.ImportFrom, alias: ast.alias
) -> Edit:
    """Take one name out of an import, or all of the import where it has no other.

    Raises ``EditError`` where a comment would be lost, or nothing would be left of the block.
    """
    place = statement.names.index(alias)
    if len(statement.names) == 1:
        return remove_statement(source, statement)
    spans = [source.span(name) for name in statement.names]
    own = spans[place]
    last = place + 1 == len(spans)
    start, end = (spans[place - 1].end, own.end) if last else (own.start, spans[place + 1].start)
    if "#" in source.text[start:end]:
        raise EditError("a comment would be lost")
    return Edit(start, end, 0, "")


def import_torch(source: Source) -> tuple[Edit, ...]:
    """``import torch`` among the imports of a file that has only parts of it, or nothing."""
    imports = [s for s in source.tree.body if isinstance(s, (ast.Import, ast.ImportFrom))]
    roots = {s: _root(s) for s in imports}
    if "torch" not in roots.values():
        for statement, root in roots.items():
            if root not in sys.stdlib_module_names:
                # the program's own files come behind the libraries (PEP 8)
                return (insert_before(source, statement, "import torch"),)
    if imports:
        return (insert_after(source, imports[-1], "import torch"),)
    return (insert_after_imports(source, "import torch"),)


def _root(statement: ast.Import | ast.ImportFrom) -> str:
    name = statement.names[0].name if isinstance(statement, ast.Import) else statement.module
    return "" if getattr(statement, "level", 0) else (name or "").partition(".")[0]
