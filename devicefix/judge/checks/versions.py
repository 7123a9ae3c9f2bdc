"""Has the oldest torch that the program has to run with what the edits write?

A name is looked up as the imports of its file say, a method of a module by its own name: what edits
have written is torch's. What the program names already it may name again only where it did.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from devicefix.judge.comparison import Comparison, Objection
from devicefix.source import Source
from devicefix.source.imports import bound_names
from devicefix.torch_api import is_there, needs_newer

NAME: Final = "version"
_METHOD: Final = "torch.nn.Module."
_Import = ast.Import | ast.ImportFrom


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each name, and each argument, that the edits have written and that came later."""
    oldest = comparison.after.program.oldest_torch
    for path in comparison.maps:
        for node, more, name in _named(comparison.source(path)):
            if name in oldest.granted or is_there(name, oldest.version):
                continue
            if any(comparison.is_written(path, one) for one in (node, *more)):
                reason = needs_newer(name, oldest.said)
                yield comparison.objection(NAME, path, node, reason, *more)


def _named(source: Source) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...], str]]:
    """Names of functions and arguments, where they are, and the imports that they come by."""
    statements: list[_Import] = [*source.of_type(ast.Import), *source.of_type(ast.ImportFrom)]
    imports: dict[str, tuple[str, _Import]] = {
        local: (origin, statement)
        for statement in statements
        for local, origin in bound_names(statement).items()
    }
    for origin, statement in imports.values():
        yield statement, (), origin
    for node in source.of_type(ast.Attribute, ast.Name):
        name, by = _resolved(node, imports)
        if name:
            yield node, by, name
    for call in source.of_type(ast.Call):
        name, by = _resolved(call.func, imports)
        if not name and isinstance(call.func, ast.Attribute):
            name = f"{_METHOD}{call.func.attr}"
        for keyword in call.keywords:
            yield keyword, by, f"{name}({keyword.arg}=)"


def _resolved(
    tree: ast.AST, imports: Mapping[str, tuple[str, _Import]]
) -> tuple[str, tuple[ast.AST, ...]]:
    """The dotted name, and its import; empty for what comes by none."""
    attributes: list[str] = []
    while isinstance(tree, ast.Attribute):
        attributes.append(tree.attr)
        tree = tree.value
    if not isinstance(tree, ast.Name) or tree.id not in imports:
        return "", ()
    origin, statement = imports[tree.id]
    return ".".join((origin, *reversed(attributes))), (statement,)
