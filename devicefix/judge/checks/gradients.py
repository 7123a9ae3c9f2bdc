"""Does everything that learned still learn?

What the edits put below ``torch.no_grad()`` must be computed for nobody who learns from it: its
results are neither returned, nor kept, nor is ``backward`` called on what comes from them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.judge.comparison import SCOPES, Comparison, Objection, enclosing

NAME: Final = "gradients"
_CONTEXTS: Final = ("no_grad", "inference_mode")
_CUTS: Final = frozenset(("item", "tolist", "numpy", "detach"))
"""Methods whose results have no gradients."""


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each ``with torch.no_grad():`` and each decorator that the edits have written."""
    for path in comparison.maps:
        source = comparison.source(path)
        for block in source.of_type(ast.With):
            if any(_is_no_grad(comparison, path, item.context_expr) for item in block.items):
                reason = _why(comparison, block)
                if reason:
                    yield comparison.objection(NAME, path, block.items[0].context_expr, reason)


def _is_no_grad(comparison: Comparison, path: str, tree: ast.expr) -> bool:
    called = tree.func if isinstance(tree, ast.Call) else tree
    named = isinstance(called, ast.Attribute) and called.attr in _CONTEXTS
    return named and comparison.is_written(path, tree)


def _why(comparison: Comparison, block: ast.With) -> str:
    """Why what is computed in ``block`` may be learned from; empty where it is not."""
    around = [n for n in enclosing(comparison.after, block) if isinstance(n, SCOPES)]
    function = around[0] if around else None
    scope = function if function is not None else list(enclosing(comparison.after, block))[-1]
    derived = _derived(scope, _bound_in(block))
    for node in ast.walk(scope):
        if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None:
            inside = any(n is node for n in ast.walk(block))
            read = _reads(node.value)
            if read if inside else read & derived:
                return f"line {node.lineno} returns what `torch.no_grad()` would keep from learning"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "backward" and _reads(node.func.value) & derived:
                return f"line {node.lineno} learns from what `torch.no_grad()` would cover"
            if any(n is node for n in ast.walk(block)) and node.func.attr == "backward":
                return f"line {node.lineno} learns below `torch.no_grad()`"
    return _kept(block)


def _kept(block: ast.With) -> str:
    for node in ast.walk(block):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            return f"line {node.lineno} keeps what `torch.no_grad()` would keep from learning"
    return ""


def _bound_in(block: ast.With) -> set[str]:
    found: set[str] = set()
    for node in (n for statement in block.body for n in ast.walk(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    for node in (n for statement in block.body for n in ast.walk(statement)):
        if isinstance(node, ast.Assign) and not _reads(node.value):
            found -= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return found


def _derived(scope: ast.AST, names: set[str]) -> set[str]:
    """The names that are computed from ``names``, those included."""
    found, size = set(names), -1
    while size < len(found):
        size = len(found)
        for node in ast.walk(scope):
            if isinstance(node, (ast.Assign, ast.AugAssign)) and _reads(node.value) & found:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return found


def _reads(tree: ast.AST) -> set[str]:
    """The names that a value is made from; what is read out of a graph of gradients is not."""
    if isinstance(tree, ast.Attribute) and tree.attr == "data":
        return set()
    called = tree.func if isinstance(tree, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr in _CUTS:
        return set()
    if isinstance(tree, ast.Name):
        return {tree.id} if isinstance(tree.ctx, ast.Load) else set()
    return {name for child in ast.iter_child_nodes(tree) for name in _reads(child)}
