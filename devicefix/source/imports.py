"""Which dotted name each imported local name stands for."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devicefix.source.text import Source

_BINDING: Final[tuple[type[ast.AST], ...]] = (
    ast.arg,
    ast.ExceptHandler,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.MatchAs,
    ast.MatchStar,
)
"""What binds names, besides a name that is stored or deleted."""


def bound_names(node: ast.Import | ast.ImportFrom, package: str = "") -> dict[str, str]:
    """Map every local name that ``node`` binds to its dotted origin.

    ``import a.b`` binds ``a`` to ``a``; ``from torch import *`` gives ``{"*": "torch"}``. Relative
    imports are resolved against ``package`` (the dotted package that holds the module); where that
    is not known, or the dots lead out of it, they are kept: ``from ..m import x`` is ``..m.x``.
    """
    if isinstance(node, ast.Import):
        return {
            alias.asname or alias.name.partition(".")[0]: (
                alias.name if alias.asname else alias.name.partition(".")[0]
            )
            for alias in node.names
        }
    module = _absolute(node, package)
    return {
        alias.asname or alias.name: module if alias.name == "*" else _join(module, alias.name)
        for alias in node.names
    }


def _absolute(node: ast.ImportFrom, package: str) -> str:
    """Return the dotted module of ``from … import``, with leading dots where it stays relative."""
    name = node.module or ""
    if not node.level:
        return name
    parts = package.split(".") if package else []
    if node.level > len(parts):
        return "." * node.level + name
    return _join(".".join(parts[: len(parts) - node.level + 1]), name)


def _join(module: str, name: str) -> str:
    if not module or not name or module.endswith("."):
        return module + name
    return f"{module}.{name}"


def bindings(source: Source) -> Counter[str]:
    """How often each name is bound anywhere in a file; see `binds`."""
    stored = source.of_type(ast.Name)
    found = Counter(name.id for name in stored if not isinstance(name.ctx, ast.Load))
    for kind in _BINDING:
        for node in source.of_type(kind):
            found.update(binds(node))
    return found


def module_constants(source: Source) -> Mapping[str, ast.expr]:
    """What the names stand for that a file binds at its top level and nowhere else."""
    bound, found = source.once(bindings), dict[str, ast.expr]()
    for tree in source.tree.body:
        match tree:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if bound[name] == 1:
                found[name] = value
    return found


def binds(node: ast.AST) -> Iterator[str]:
    """The names that a node binds itself: an assignment, a parameter, a definition, an import."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.arg(arg=name) | ast.ExceptHandler(name=str() as name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import() | ast.ImportFrom():
            yield from bound_names(node)
        case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
            yield name
