"""Imports: taken from another module, or of torch."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from devicefix.edits.errors import EditError
from devicefix.edits.preamble import end_of_block, insert_after_imports, is_comment_line
from devicefix.edits.statements import insert_after, insert_before, remove_statement
from devicefix.findings import Edit
from devicefix.flow.scripts import is_for_types, is_main_guard
from devicefix.source import Source
from devicefix.source.imports import bound_names

_FROM: Final = re.compile(r"from(?:[ \t\f]|\\\r?\n)+")
_Import: TypeAlias = ast.Import | ast.ImportFrom
_IMPORTS: Final = (ast.Import, ast.ImportFrom)


def import_from(source: Source, statement: ast.ImportFrom, module: str) -> Edit:
    """``from a.b import x`` -> ``from module import x``; ``EditError`` where it is relative."""
    start = source.span(statement).start
    match = _FROM.match(source.text, start)
    old = statement.module or ""
    if match is None or statement.level or not source.text.startswith(old, match.end()):
        raise EditError("the module name contains spaces or a line break")
    return Edit(match.end(), match.end() + len(old), 0, module)


def import_as(source: Source, statement: ast.Import, alias: ast.alias, module: str) -> Edit:
    """``import a.b as x`` -> ``import module as x``."""
    start = source.span(alias).start
    if not alias.asname or not source.text.startswith(alias.name, start):
        raise EditError("the module name contains spaces or a line break")
    return Edit(start, start + len(alias.name), 0, module)


def rename_alias(source: Source, alias: ast.alias, name: str) -> Edit:
    """``from a import x as y`` -> ``from a import name as y``."""
    start = source.span(alias).start
    if not source.text.startswith(alias.name, start):
        raise EditError("the name contains spaces or a line break")
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
    """``import torch`` among the imports of a file that has only parts of it, or nothing.

    Raises ``EditError`` where the file, which others import, has torch only inside functions or for
    type checkers: it may be imported where torch is not installed; and where ``torch`` is the name
    of something else in the file.
    """
    if _is_another(source):
        raise EditError("`torch` is the name of something else in this file")
    if _is_lazy(source):
        raise EditError("the file imports torch only inside functions, or for type checkers")
    place = _place_of_torch(source)
    if place is None:
        return (insert_after_imports(source, "import torch"),)
    neighbour, above = place
    line = source.position(source.span(neighbour).start)[0]
    if above and not is_comment_line(source, line - 1):
        return (insert_before(source, neighbour, "import torch"),)
    return (insert_after(source, neighbour, "import torch"),)


def _is_another(source: Source) -> bool:
    """Whether the file binds the name to anything but torch: ``import candle as torch``."""
    return any(
        bound_names(node).get("torch", "torch") != "torch"
        if isinstance(node, _IMPORTS)
        else isinstance(node, ast.Name) and node.id == "torch" and isinstance(node.ctx, ast.Store)
        for node in source.of_type(*_IMPORTS, ast.Name)
    )


def _is_lazy(source: Source) -> bool:
    """Whether it imports torch, or parts of it, but not when it is imported itself."""
    found: list[_Import] = [*source.of_type(ast.Import), *source.of_type(ast.ImportFrom)]
    imports = [node for node in found if _root(node) == "torch"]
    held = (_holders(source, node) for node in imports)
    return (
        bool(imports)
        and all(any(map(_is_passed_over, above)) for above in held)
        and not any(map(is_main_guard, source.tree.body))
    )


def _holders(source: Source, node: ast.AST | None) -> Iterator[ast.AST]:
    while node is not None:
        yield node
        node = source.parent(node)


def _is_passed_over(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or is_for_types(node)


def torch_neighbour(source: Source) -> ast.stmt | None:
    """The top-level import that `import_torch` puts its own beside."""
    place = _place_of_torch(source)
    return place[0] if place is not None else None


def _place_of_torch(source: Source) -> tuple[_Import, bool] | None:
    """An import of the first block, and whether ``import torch`` goes above it.

    That is the first part of torch, or else the first that does not come with Python: a library, or
    one of the program's own files, which stand below those (PEP 8).
    """
    body = source.tree.body
    start = next((i for i, s in enumerate(body) if isinstance(s, _IMPORTS)), None)
    if start is None:
        return None
    end = end_of_block(source, start, start) or start
    block = [s for s in body[start : end + 1] if isinstance(s, _IMPORTS)]
    parts = [s for s in block if _root(s) == "torch"]
    foreign = parts or [s for s in block if _root(s) not in sys.stdlib_module_names]
    return _in_order(source, block, foreign[0]) if foreign else (block[-1], False)


def _in_order(source: Source, block: Sequence[_Import], found: _Import) -> tuple[_Import, bool]:
    """Where the lines around ``found`` are in the order of the alphabet, the place in it."""
    lines = {source.position(source.span(s).start)[0]: s for s in block}
    if len(lines) < len(block):
        return found, True  # some share a line
    at = source.position(source.span(found).start)[0]
    while at - 1 in lines:
        at -= 1
    together = []
    while at in lines:
        together.append(lines[at])
        at += 1
    plain = [s for s in together if isinstance(s, ast.Import)]
    names = [s.names[0].name for s in plain]
    if len(plain) < 2 or names != sorted(names) or together[: len(plain)] != plain:
        return found, True
    behind = [s for s in plain if s.names[0].name > "torch"]
    return (behind[0], True) if behind else (plain[-1], False)


def _root(statement: ast.Import | ast.ImportFrom) -> str:
    name = statement.names[0].name if isinstance(statement, ast.Import) else statement.module
    return "" if getattr(statement, "level", 0) else (name or "").partition(".")[0]
