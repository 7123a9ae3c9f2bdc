"""New statements beside old ones, and statements made into assignments."""

from __future__ import annotations

import ast

from devicefix.edits import ranks
from devicefix.edits.blocks import (
    header_colon,
    is_compound,
    is_elif,
    is_inline,
    place_of,
)
from devicefix.edits.errors import EditError
from devicefix.edits.gaps import continues
from devicefix.findings import Edit
from devicefix.source import Source


def assign_statement(source: Source, stmt: ast.Expr, target: str) -> Edit:
    """``x.to(d)`` -> ``target = x.to(d)``."""
    start = source.span(stmt).start
    return Edit(start, start, ranks.ASSIGN, f"{target} = ")


def insert_after(source: Source, stmt: ast.stmt, text: str) -> Edit:
    """Put the statement ``text`` on a line of its own after the line of ``stmt``.

    On lines that hold several statements (``a; b``, ``if x: a``) it joins the line right after
    ``stmt`` where it must. Raises ``EditError`` where it cannot: a compound statement there, or
    after an ``elif``.
    """
    if is_elif(source, stmt):
        raise EditError("an `elif` is not a separate statement")
    place = place_of(source, stmt)
    if place.inline or not place.ends_line:
        end = source.span(stmt).end
        return Edit(end, end, ranks.SAME_LINE, f"; {_one_liner(text)}")
    # Where two blocks end on one line, the inner one's statement comes first: hence the length.
    indent = place.indent
    lines = _indented(source, text, indent)
    end = place.line_end
    if not source.text.endswith(("\n", "\r"), 0, end):
        return Edit(end, end, ranks.LAST_LINE - len(indent), source.newline + lines)
    return Edit(end, end, ranks.AFTER - len(indent), lines + source.newline)


def insert_before(source: Source, stmt: ast.stmt, text: str) -> Edit:
    """Put the statement ``text`` on a line of its own before ``stmt`` and its decorators.

    Between statements that share a line it joins that line. Raises ``EditError`` where it cannot,
    and before an ``elif``.
    """
    if is_elif(source, stmt):
        raise EditError("an `elif` is not a separate statement")
    start = source.statement_span(stmt).start
    if not place_of(source, stmt).leads_line:
        return Edit(start, start, ranks.BEFORE, f"{_one_liner(text)}; ")
    line = source.line_start(start)
    if continues(source, line):
        raise EditError("the statement follows a line that has only a backslash")
    lines = _indented(source, text, source.indent_of(stmt))
    return Edit(line, line, ranks.BEFORE, lines + source.newline)


def insert_at_body_start(source: Source, node: ast.stmt, text: str) -> Edit | None:
    """Put the statement ``text`` on the first line of a compound statement's body.

    In a function or a class it comes after the docstring. None where the body stands on the line of
    the header. Raises ``EditError`` where ``node`` has no body.
    """
    body: list[ast.stmt] = getattr(node, "body", [])
    if not body:
        raise EditError(f"a {type(node).__name__} has no body")
    if is_inline(source, body):
        return None
    if _has_docstring(node):
        return insert_after(source, body[0], text)
    start = source.next_line(header_colon(source, node))
    lines = _indented(source, text, source.indent_of(body[0]))
    return Edit(start, start, ranks.BODY_START, lines + source.newline)


def remove_statement(source: Source, stmt: ast.stmt) -> Edit:
    """Take out the line of a statement, and the blank line behind it where one stands before it.

    Of a line that it shares with other statements those are left. Raises ``EditError`` where a
    comment would be lost, or nothing would be left of the block.
    """
    place = place_of(source, stmt)
    if len(place.block) == 1:
        raise EditError("the block would be empty")
    if not place.ends_line:
        return Edit(source.span(stmt).start, place.gap_after.end, 0, "")
    if place.follows:
        return Edit(place.gap_before.start, source.span(stmt).end, 0, "")
    if place.inline:
        raise EditError("the statement has no line that can be removed")
    start = source.line_start(source.statement_span(stmt).start)
    end = place.line_end
    if "#" in source.text[source.span(stmt).end : end]:
        raise EditError("a comment would be lost")
    before = source.text[source.line_start(max(start - 1, 0)) : start]
    after = source.text[end : source.next_line(end)]
    if not before.strip() and not after.strip():
        end = source.next_line(end)
    return Edit(start, end, 0, "")


def _has_docstring(node: ast.stmt) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    return ast.get_docstring(node, clean=False) is not None


def _indented(source: Source, text: str, indent: str) -> str:
    r"""``text`` (lines end in ``\n``) with the file's line ends and this indentation."""
    lines = text.rstrip("\r\n").replace("\r\n", "\n").split("\n")
    return source.newline.join(indent + line if line else line for line in lines)


def _one_liner(text: str) -> str:
    """``text`` if it can share a line with other statements; raises ``EditError`` otherwise."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        raise EditError(f"not a statement: {text!r}") from None
    if "\n" in text.strip() or "#" in text or any(is_compound(stmt) for stmt in body):
        raise EditError("this statement needs a line of its own")
    return text.strip()
