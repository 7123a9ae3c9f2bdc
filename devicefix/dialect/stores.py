"""What one file puts into attributes, of whatever object."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devicefix.dialect.scopes import Binding


def stores(nodes: Sequence[ast.AST]) -> dict[str, list[Binding]]:
    """By the name of the attribute, how it may get its value; what classes define included."""
    found: dict[str, list[Binding]] = {}
    for node in nodes:
        for name, binding in _stored(node):
            found.setdefault(name, []).append(binding)
    return found


def _stored(node: ast.AST) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _by_target(target, "value", node, node.value)
    elif isinstance(node, ast.AugAssign):
        yield from _by_target(node.target, "augmented", node, node.value)
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield from _by_target(node.target, "other", node, None)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from _by_target(node.optional_vars, "other", node, None)
    elif isinstance(node, ast.ClassDef):
        yield from _defined(node)


def _by_target(
    target: ast.expr, how: str, node: ast.AST, value: ast.expr | None
) -> Iterator[tuple[str, Binding]]:
    for inner, path in _flat(target, ()):
        if isinstance(inner, ast.Attribute):
            yield inner.attr, Binding(how, node, value, path)


def _defined(node: ast.ClassDef) -> Iterator[tuple[str, Binding]]:
    for statement in node.body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield statement.name, Binding("other", statement)
        elif isinstance(statement, ast.Assign):
            for name in statement.targets:
                if isinstance(name, ast.Name):
                    yield name.id, Binding("value", statement, statement.value)


def _flat(target: ast.expr, path: tuple[int, ...]) -> Iterator[tuple[ast.expr, tuple[int, ...]]]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for number, element in enumerate(target.elts):
            yield from _flat(element, (*path, number))
    else:
        yield target, path
