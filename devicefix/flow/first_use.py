"""Where a scope names one of its functions, directly or through others: before, it cannot run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from devicefix.flow.passing import HARMLESS

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS: Final = (*_FUNCTIONS, ast.ClassDef)


def uses(
    scope: ast.AST, definition: ast.AST, decorators: Mapping[ast.AST, frozenset[str]]
) -> list[ast.AST]:
    """Where ``scope`` may start to run what it defines there; a lambda may run at once.

    ``decorators`` are those of functions: one that keeps the function may call it at any time.
    """
    if not isinstance(definition, _DEFINITIONS):
        return [definition]
    evaluated = list(_evaluated(scope))
    leading = _leading(definition, [n for n in evaluated if isinstance(n, _DEFINITIONS)])
    names = {tree.name for tree in leading}
    kept = [tree for tree in leading if not decorators.get(tree, frozenset()) <= HARMLESS]
    return [*kept, *(n for n in evaluated if isinstance(n, ast.Name) and _names(n, names))]


def _leading(
    definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    others: Collection[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef],
) -> list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The definition, and those that name it, or name one that does."""
    found = [definition]
    for tree in found:
        found += [
            other
            for other in others
            if other not in found and any(_names(n, {tree.name}) for n in ast.walk(other))
        ]
    return found


def _names(node: ast.AST, names: Collection[str]) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names


def _evaluated(scope: ast.AST) -> Iterator[ast.AST]:
    """What running the scope evaluates: bodies of classes, but not those of functions.

    Bases and annotations are evaluated, too, but nothing of what they name runs.
    """
    for part in getattr(scope, "body", ()):
        yield from _parts(part)


def _parts(tree: ast.AST) -> Iterator[ast.AST]:
    yield tree
    below: list[ast.AST] = list(ast.iter_child_nodes(tree))
    if isinstance(tree, ast.ClassDef):
        below = list(tree.body)
    elif isinstance(tree, _FUNCTIONS):
        below = [*tree.args.defaults, *(d for d in tree.args.kw_defaults if d is not None)]
    for part in below:
        yield from _parts(part)
