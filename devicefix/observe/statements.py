"""The statement at a line of the program, read when something has to be said about it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator


def expressions(file: str, line: int) -> Iterator[ast.expr]:
    """The expressions in the innermost statement at ``line``; none if the file cannot be read."""
    statement = _statement(file, line)
    if statement is not None:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.expr))


def first_line(file: str, line: int) -> int:
    """Where the innermost statement at ``line`` begins; ``line`` if the file cannot be read."""
    statement = _statement(file, line)
    return line if statement is None else statement.lineno


def _statement(file: str, line: int) -> ast.stmt | None:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(around, key=lambda node: node.lineno, default=None)
