"""``loss.data[0]``: a number before torch 0.4, since then an item of what has no dimensions."""

from __future__ import annotations

import ast

from devicefix.flow.facts import FileFacts
from devicefix.flow.legacy_facts import Belief, Sort
from devicefix.flow.questions import base_of
from devicefix.flow.scopes import FUNCTIONS
from devicefix.source.walking import once, walk


def is_first(tree: ast.Subscript) -> bool:
    """``x[0]``, read."""
    index = tree.slice
    number = isinstance(index, ast.Constant) and type(index.value) is int and index.value == 0
    return number and isinstance(tree.ctx, ast.Load)


def learns(facts: FileFacts, tree: ast.AST) -> bool:
    """Whether ``tree`` is ``x.data[0]``, and the function calls ``backward()`` on what is called
    ``x`` there: most likely a loss, whose number of dimensions is not known."""
    if not isinstance(tree, ast.Subscript) or not is_first(tree):
        return False
    base = base_of(tree.value)
    belief = facts.beliefs.get(base, Belief())
    if base is tree.value or not isinstance(base, ast.Name):
        return False
    if belief.sort not in (Sort.TENSOR, Sort.UNKNOWN):
        return False
    return base.id in once(function_around(facts, tree), _losses)


def function_around(facts: FileFacts, tree: ast.AST) -> ast.AST:
    """The function that holds ``tree``, or the whole file."""
    scope: ast.AST | None = tree
    while scope is not None and not isinstance(scope, (*FUNCTIONS, ast.Module)):
        scope = facts.parents.get(scope)
    return scope or tree


def _losses(scope: ast.AST) -> frozenset[str]:
    """The names on which ``scope`` calls ``backward()``."""
    return frozenset(filter(None, map(_loss, walk(scope))))


def _loss(node: ast.AST) -> str:
    if isinstance(node, ast.Call) and not node.args and isinstance(node.func, ast.Attribute):
        held = node.func.value
        if node.func.attr == "backward" and isinstance(held, ast.Name):
            return held.id
    return ""
