"""A statement that has to run earlier."""

from __future__ import annotations

import ast

from devicefix.edits.blocks import place_of
from devicefix.edits.errors import EditError
from devicefix.edits.statements import insert_before, remove_statement
from devicefix.findings import Edit
from devicefix.source import Source


def hoist_statement(
    source: Source, statement: ast.stmt, before: ast.stmt, subject: str
) -> tuple[Edit, ...]:
    """Move ``statement``, which moves the name ``subject``, in front of ``before``.

    Raises ``EditError`` where they are not in one block, or where a statement that it would
    overtake uses ``subject`` or binds a name that ``statement`` reads.
    """
    block = place_of(source, statement).block
    if before not in block or block.index(before) >= block.index(statement):
        raise EditError("the statements are not in the same block")
    overtaken = block[block.index(before) : block.index(statement)]
    used = _names(statement, ast.Load) - {subject}
    if any(used & _names(other, ast.Store) for other in overtaken):
        raise EditError("it uses a name that is defined in between")
    if any(subject in _names(other, ast.Load, ast.Store) for other in overtaken[1:]):
        raise EditError("the moved value is used in between")
    if "\n" in source.segment(statement):
        raise EditError("the statement has several lines")
    moved = insert_before(source, before, source.segment(statement))
    return (remove_statement(source, statement), moved)


def _names(tree: ast.AST, *contexts: type[ast.expr_context]) -> set[str]:
    """The names that are read or bound, with those that definitions and imports bind."""
    found = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, contexts)
    }
    if ast.Store in contexts:
        found |= {
            (node.asname or node.name.partition(".")[0])
            for node in ast.walk(tree)
            if isinstance(node, ast.alias)
        }
        found |= {getattr(tree, "name", "")} - {""}
    return found
