"""Taking an ``if`` or a ``with`` away from around its body."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from devicefix.edits.blocks import header_colon, is_elif, is_inline, place_of
from devicefix.edits.gaps import skip_line_forward
from devicefix.findings import Edit
from devicefix.source import Source

_CONTINUED: Final = re.compile(r"\"\"\"|'''|\\[\r\n]")
"""What lets a string go on in the next line; adjacent strings between brackets have none of it."""


def unguard(source: Source, guard: ast.If | ast.With) -> tuple[Edit, ...]:
    """Drop the header of an ``if`` or ``with`` and dedent its body, but no lines inside strings.

    An ``else`` goes as well: it has to do the same. A comment on the header's line moves to a line
    of its own. Returns () where that cannot be done: it is an ``elif`` or has one, its test binds a
    name or holds comments, there is a comment below ``else``, or the body's indentation does not
    extend the header's. Statements inserted into the body in the same round keep the old
    indentation: give them another round.
    """
    otherwise = _otherwise(source, guard)
    if is_elif(source, guard) or otherwise is None:
        return ()
    asked = [guard.test] if isinstance(guard, ast.If) else [i.context_expr for i in guard.items]
    inside = [node for part in asked for node in ast.walk(part)]
    if any(isinstance(node, ast.NamedExpr | ast.Await) for node in inside):
        return ()
    start, colon = source.span(guard).start, header_colon(source, guard)
    if "#" in source.text[start:colon] and _has_comment(source, start, colon):
        return ()
    if is_inline(source, guard.body):
        return (Edit(start, source.span(guard.body[0]).start, 0, ""), *otherwise)
    outer, inner = source.indent_of(guard), source.indent_of(guard.body[0])
    if not inner.startswith(outer):
        return ()
    lines = tuple(_lines(source, guard, inner))
    if not _leading_lines(source, guard) <= frozenset(lines):
        return ()
    removed = (Edit(at + len(outer), at + len(inner), 0, "") for at in lines)
    return (_header(source, start, colon), *removed, *otherwise)


def _otherwise(source: Source, guard: ast.If | ast.With) -> tuple[Edit, ...] | None:
    """What takes the ``else`` out; None where more than its statements would be lost."""
    block = getattr(guard, "orelse", [])
    if not block:
        return ()
    start, end = place_of(source, guard.body[-1]).line_end, place_of(source, block[-1]).line_end
    if is_elif(source, block[0]) or _has_comment(source, start, end):
        return None
    return (Edit(start, end, 0, ""),)


def _header(source: Source, start: int, colon: int) -> Edit:
    """Take out the header's line, but for the comment at its end."""
    behind = skip_line_forward(source.text, colon + 1)
    if source.text.startswith("#", behind):
        return Edit(start, behind, 0, "")
    line = source.line_start(start)
    return Edit(line, source.next_line(behind), 0, "")


def _lines(source: Source, guard: ast.If | ast.With, indent: str) -> Iterator[int]:
    """The starts of the body's lines that begin with its indentation."""
    frozen = string_lines(source, guard)
    at = source.next_line(header_colon(source, guard))
    end = _end(source, guard, indent)
    while at < end:
        if at not in frozen and source.text.startswith(indent, at):
            yield at
        at = source.next_line(at)


def _end(source: Source, guard: ast.If | ast.With, indent: str) -> int:
    """Where the body ends: after the comments that follow it with its indentation."""
    end = at = place_of(source, guard.body[-1]).line_end
    while at < len(source.text):
        line = source.text[at : source.line_end(at)]
        if line.strip() and not (line.startswith(indent) and line.lstrip().startswith("#")):
            break
        at = source.next_line(at)
        end = at if line.strip() else end
    return end


def string_lines(source: Source, statement: ast.stmt) -> frozenset[int]:
    """The starts of lines that continue a string: their indentation is part of its value."""
    starts: set[int] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        ):
            span = source.span(node)
            if not _CONTINUED.search(source.text, span.start, span.end):
                continue
            at = source.next_line(span.start)
            while at <= span.end and at > span.start and at < len(source.text):
                starts.add(at)
                at = source.next_line(at)
    return frozenset(starts)


def _leading_lines(source: Source, guard: ast.If | ast.With) -> frozenset[int]:
    """The starts of the lines on which the statements of the body start."""
    return frozenset(
        source.line_start(source.statement_span(node).start)
        for stmt in guard.body
        for node in ast.walk(stmt)
        if isinstance(node, ast.stmt)
    )


def _has_comment(source: Source, start: int, end: int) -> bool:
    return any(start <= comment.start < end for comment in source.comments.values())
