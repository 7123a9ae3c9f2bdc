"""Names that nothing reads any more, and those that alone hold what they are bound to."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Final

from devicefix.flow.scopes import block_of
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


def born(read: ast.Name, parents: Parents, kept: Callable[[ast.expr], ast.expr]) -> ast.expr | None:
    """What the name at ``read`` was bound to, where nothing else can hold that.

    ``x = torch.ones(3)`` in the same block, and up to this read nothing but ``x = x.cuda()``, where
    ``kept`` says that ``x.cuda()`` may be ``x``. The statement itself binds the name anew, or it is
    the last one that reads it.
    """
    above = list(_above(read, parents))
    scope = next(tree for tree in above if isinstance(tree, _SCOPES))
    statement = next(tree for tree in above if isinstance(tree, ast.stmt))
    names = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == read.id]
    if _is_declared(scope, read.id) or any(_scope(n, parents) is not scope for n in names):
        return None
    if [n for n in ast.walk(statement) if n in names and isinstance(n.ctx, ast.Load)] != [read]:
        return None
    if not (_binds(statement, read.id) or is_spent(read, parents)):
        return None
    block = block_of(parents.get(statement), statement)
    for earlier in reversed(block[: block.index(statement)]):
        own = [n for n in ast.walk(earlier) if n in names]
        if len(own) == 1 and _binds(earlier, read.id):
            return earlier.value if isinstance(earlier, ast.Assign) else None
        if not all(_is_changed(n, parents, kept) for n in own if isinstance(n, ast.Name)):
            return None
    return None


def _binds(statement: ast.AST, name: str) -> bool:
    """``x = …``."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=bound)]):
            return bound == name
    return False


def _is_changed(name: ast.Name, parents: Parents, kept: Callable[[ast.expr], ast.expr]) -> bool:
    """Whether a name stands in ``x = x.cuda()``."""
    statement = next(tree for tree in _above(name, parents) if isinstance(tree, ast.stmt))
    if not isinstance(statement, ast.Assign) or not _binds(statement, name.id):
        return False
    root = kept(statement.value)
    same = isinstance(root, ast.Name) and root.id == name.id
    return same and (name is root or isinstance(name.ctx, ast.Store))


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
