"""Adding, opening and changing statements."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devicefix.findings import Edit

if TYPE_CHECKING:
    from devicefix.source import Source


def assign_statement(source: Source, statement: ast.Expr, target: str) -> Edit:
    """``x.to(d)`` -> ``x = x.to(d)``."""
    start = source.span(statement).start
    return Edit(start, start, 0, f"{target} = ")


def insert_after(source: Source, statement: ast.stmt, text: str) -> Edit:
    """A new statement line after ``statement``."""
    at = source.line_end(source.span(statement).end)
    indent = source.indent_of(statement)
    return Edit(at, at, 0, f"{indent}{text}{source.newline}")


def insert_at_body_start(source: Source, node: ast.For | ast.AsyncFor, text: str) -> Edit | None:
    """A new statement at the top of the body of ``node``."""
    first = node.body[0]
    at = source.line_start(source.span(first).start)
    return Edit(at, at, 0, f"{source.indent_of(first)}{text}{source.newline}")


def unguard(source: Source, guard: ast.If) -> tuple[Edit, ...]:
    """Drop the header of ``guard`` and dedent its body."""
    start = source.line_start(source.span(guard).start)
    first = source.line_start(source.span(guard.body[0]).start)
    if first == start:
        return ()
    inner, outer = source.indent_of(guard.body[0]), source.indent_of(guard)
    edits = [Edit(start, first, 0, "")]
    at = first
    end = source.span(guard).end
    while at < end:
        if source.text.startswith(inner, at):
            edits.append(Edit(at, at + len(inner) - len(outer), 0, ""))
        at = source.line_end(at)
    return tuple(edits)


def insert_after_imports(source: Source, text: str) -> Edit:
    """A top-level statement after the imports, between blank lines."""
    last = None
    for statement in source.tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)) or (
            statement is source.tree.body[0] and isinstance(statement, ast.Expr)
        ):
            last = statement
        else:
            break
    at = source.line_end(source.span(last).end) if last is not None else 0
    return Edit(at, at, 0, f"{source.newline}{text}{source.newline}")
