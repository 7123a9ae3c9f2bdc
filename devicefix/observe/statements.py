"""The statement at a line of the program, read when something has to be said about it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator


def expressions(file: str, line: int) -> Iterator[ast.expr]:
    """The expressions in the innermost statement at ``line``; none if the file cannot be read."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return
    statement = _statement(tree, line)
    if statement is not None:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.expr))


def _statement(tree: ast.Module, line: int) -> ast.stmt | None:
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(around, key=lambda node: node.lineno, default=None)
