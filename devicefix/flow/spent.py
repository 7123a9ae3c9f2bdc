"""Names that nothing reads any more: what is bound to them there is lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.source.parsing import Parents

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES: Final = (*_FUNCTIONS, ast.Lambda, ast.ClassDef, ast.Module)


def is_spent(place: ast.expr, parents: Parents) -> bool:
    """Whether nothing reads the name at ``place`` after its statement.

    Only the local names of a function are known so well, and only those that no function in it
    shares: that one may read them at any time.
    """
    above = list(_above(place, parents))
    scope = next((tree for tree in above if isinstance(tree, _SCOPES)), None)
    if not isinstance(place, ast.Name) or not isinstance(scope, _FUNCTIONS):
        return False
    nodes = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == place.id]
    if _is_declared(scope, place.id) or any(_scope(n, parents) is not scope for n in nodes):
        return False
    reads = [n for n in nodes if n is not place and not isinstance(n.ctx, ast.Store)]
    again = set(_repeated(above[: above.index(scope)], place.id))
    return not any(_at(read) > _at(place) or read in again for read in reads)


def _repeated(above: list[ast.AST], name: str) -> Iterator[ast.AST]:
    """What may run again with what the statement binds: loops, up to one that binds the name."""
    for tree in above:
        if isinstance(tree, (ast.For, ast.AsyncFor)):
            targets = {n.id for n in ast.walk(tree.target) if isinstance(n, ast.Name)}
            if name in targets:
                return
        if isinstance(tree, (ast.For, ast.AsyncFor, ast.While)):
            yield from ast.walk(tree)


def _is_declared(scope: ast.AST, name: str) -> bool:
    """``global x``, ``nonlocal x``."""
    declared = (n for n in ast.walk(scope) if isinstance(n, (ast.Global, ast.Nonlocal)))
    return any(name in tree.names for tree in declared)


def _scope(node: ast.AST, parents: Parents) -> ast.AST | None:
    return next((tree for tree in _above(node, parents) if isinstance(tree, _SCOPES)), None)


def _above(node: ast.AST, parents: Parents) -> Iterator[ast.AST]:
    while (parent := parents.get(node)) is not None:
        yield parent
        node = parent


def _at(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset
