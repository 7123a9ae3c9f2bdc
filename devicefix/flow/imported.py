"""What dotted names mean by the imports of a file alone: not all code is evaluated."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from devicefix.source import Source
from devicefix.source.imports import bindings, bound_names


def origins(source: Source) -> Mapping[str, str]:
    """Which dotted name each imported local name of a file stands for."""
    found: dict[str, str] = {}
    for node in source.imports:
        found.update(bound_names(node))
    return found


def root_name(tree: ast.expr) -> str:
    """``a`` of ``a.b.c``; empty where no name is at its start."""
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    return tree.id if isinstance(tree, ast.Name) else ""


def is_sole(local: str, known: Mapping[str, str], source: Source) -> bool:
    """Nothing but imports of one thing binds the name; ``import a.b`` binds ``a`` each time."""
    return known[local] == "torch" == local or source.once(bindings)[local] == 1


def dotted(tree: ast.expr, known: Mapping[str, str]) -> str:
    """``torch.cuda.synchronize`` of ``th.cuda.synchronize``; empty where nothing was imported."""
    if isinstance(tree, ast.Attribute):
        head = dotted(tree.value, known)
        return f"{head}.{tree.attr}" if head else ""
    return known.get(tree.id, "") if isinstance(tree, ast.Name) else ""
