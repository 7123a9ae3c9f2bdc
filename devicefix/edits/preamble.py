"""A statement after the imports of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.edits import ranks
from devicefix.edits.blocks import place_of
from devicefix.findings import Edit
from devicefix.flow.scripts import is_main_guard
from devicefix.source import Source, bound_names


def insert_after_imports(source: Source, text: str, behind: ast.stmt | None = None) -> Edit:
    """Put ``text`` after the imports, set off by a blank line on either side.

    The imports are the first block of them, after the docstring and ``__future__``, with ``try``
    and ``if`` statements that only import; and, where ``text`` uses a name that a later top-level
    import binds, that one with its neighbours (the last star import if none names it). ``behind``
    is a top-level import that it must not come before.
    """
    body = source.tree.body
    if not body:
        end = len(source.text)
        lead = "" if source.text.endswith(("\n", "\r")) or not source.text else source.newline
        return Edit(end, end, ranks.AFTER_IMPORTS, lead + _lines(source, text) + source.newline)
    anchor = _anchor(body, text)
    least = -1 if behind is None else body.index(behind)
    if least > (-1 if anchor is None else anchor):
        anchor = end_of_block(body, least, least)
    if anchor is None:
        start = source.line_start(source.statement_span(body[0]).start)
        blank = source.newline * (1 + _blank_lines(source, body[0]))
        return Edit(start, start, ranks.AFTER_IMPORTS, _lines(source, text) + blank)
    return _after(source, body, anchor, text)


def _after(source: Source, body: list[ast.stmt], anchor: int, text: str) -> Edit:
    place = place_of(source, body[anchor])
    end = place.line_end
    # behind a line that ends with a carriage return alone, a line feed would belong to that
    blank = "\r" if source.text.endswith("\r", 0, end) else source.newline
    new = blank + _lines(source, text)
    if not source.text.endswith(("\n", "\r"), 0, end):
        return Edit(end, end, ranks.LAST_LINE, source.newline + new)
    following = source.text[end : source.line_end(end)]
    new += source.newline
    if following.strip():
        comment = following.lstrip().startswith("#")
        after = [s for s in body[anchor + 1 :] if source.statement_span(s).start >= end]
        new += source.newline * (1 if comment or not after else _blank_lines(source, after[0]))
    return Edit(end, end, ranks.AFTER_IMPORTS, new)


def _anchor(body: list[ast.stmt], text: str) -> int | None:
    """The index of the statement to follow; None where there is neither import nor docstring."""
    anchor = None
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        anchor = 0 if isinstance(body[0].value.value, str) else None
    at = 0 if anchor is None else 1
    anchor = end_of_block(body, at, anchor)
    needed = _names_needed(text)
    bound = {name for stmt in body[: 0 if anchor is None else anchor + 1] for name in _bound(stmt)}
    for index, stmt in enumerate(body):
        names = set(_bound(stmt))
        if index > (-1 if anchor is None else anchor) and names & (needed - bound):
            bound |= names
            anchor = end_of_block(body, index, index)
    if needed - bound:
        # a name that no import spells out comes with a star
        starred = [i for i, s in enumerate(body) if any(map(_is_starred, _imports(s)))]
        if starred and starred[-1] > (-1 if anchor is None else anchor):
            anchor = end_of_block(body, starred[-1], starred[-1])
    return anchor


def _is_starred(statement: ast.Import | ast.ImportFrom) -> bool:
    return any(alias.name == "*" for alias in statement.names)


def end_of_block(body: list[ast.stmt], start: int, otherwise: int | None) -> int | None:
    """The last of the import statements that follow each other from ``start``.

    What does nothing, such as a magic in a notebook or a text, may stand between them.
    """
    end = otherwise
    for index in range(start, len(body)):
        if _is_import_block(body[index]):
            end = index
        elif not _does_nothing(body[index]):
            break
    return end


def _does_nothing(stmt: ast.stmt) -> bool:
    text = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
    return text or isinstance(stmt, ast.Pass)


def _is_import_block(stmt: ast.stmt) -> bool:
    """Whether a statement imports and does nothing else but stand in for what is missing."""
    if isinstance(stmt, ast.Import | ast.ImportFrom):
        return True
    if not isinstance(stmt, ast.Try | ast.If):
        return False
    if not any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(stmt)):
        return False
    blocks = [stmt.body, stmt.orelse, getattr(stmt, "finalbody", [])]
    blocks += [handler.body for handler in getattr(stmt, "handlers", [])]
    return all(_only_prepares(inner) for block in blocks for inner in block)


def _only_prepares(stmt: ast.stmt) -> bool:
    plain = isinstance(stmt, ast.Pass | ast.Raise | ast.Assign)
    return plain or _is_import_block(stmt)


def _imports(stmt: ast.stmt) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that a top-level statement runs for those who import the file."""
    if isinstance(stmt, ast.Import | ast.ImportFrom):
        yield stmt
    elif isinstance(stmt, ast.Try | ast.With | ast.If):
        if is_main_guard(stmt):
            return
        if isinstance(stmt, ast.If) and "TYPE_CHECKING" in ast.dump(stmt.test):
            return
        handlers: list[ast.ExceptHandler] = getattr(stmt, "handlers", [])
        inner = [*stmt.body, *getattr(stmt, "orelse", []), *getattr(stmt, "finalbody", [])]
        for child in [*inner, *(s for handler in handlers for s in handler.body)]:
            yield from _imports(child)


def _bound(stmt: ast.stmt) -> Iterator[str]:
    for node in _imports(stmt):
        yield from bound_names(node)


def _names_needed(text: str) -> set[str]:
    """The names that ``text`` reads and does not bind itself."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return set()
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    own |= {name for stmt in tree.body for name in _bound(stmt)}
    return {node.id for node in names} - own


def _blank_lines(source: Source, stmt: ast.stmt) -> int:
    """How many blank lines PEP 8 wants before a top-level statement."""
    definition = isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    return 2 if definition else 1


def _lines(source: Source, text: str) -> str:
    return text.rstrip("\r\n").replace("\r\n", "\n").replace("\n", source.newline)
