"""Does everything that learned still learn?

What the edits put below ``torch.no_grad()`` must be computed for nobody who learns from it: nothing
calls ``backward`` on what comes from it, neither there nor where a function that returns it is
called, and no object keeps it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from devicefix.judge.comparison import SCOPES, Comparison, Objection, enclosing

NAME: Final = "gradients"
_CONTEXTS: Final = ("no_grad", "inference_mode")
_CUTS: Final = frozenset(("item", "tolist", "numpy", "detach", "argmax", "size"))
"""Methods whose results have no gradients."""
_DEEP: Final = 4
"""Calls through which a result is followed back."""


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each ``with torch.no_grad():`` that the edits have written."""
    for path in comparison.maps:
        for block in comparison.source(path).of_type(ast.With):
            contexts = [item.context_expr for item in block.items]
            if any(_is_no_grad(comparison, path, tree) for tree in contexts):
                reason = _Learning(comparison).below(block)
                if reason:
                    yield comparison.objection(NAME, path, contexts[0], reason)


def _is_no_grad(comparison: Comparison, path: str, tree: ast.expr) -> bool:
    called = tree.func if isinstance(tree, ast.Call) else tree
    named = isinstance(called, ast.Attribute) and called.attr in _CONTEXTS
    return named and comparison.is_written(path, tree)


class _Learning(Struct, frozen=True):
    """Who learns from what is computed somewhere."""

    comparison: Comparison

    def below(self, block: ast.With) -> str:
        """Why what is computed in ``block`` may be learned from; empty where it is not."""
        inside = {node for statement in block.body for node in ast.walk(statement)}
        for node in inside:
            if _is_backward(node):
                return f"line {_line(node)} learns below `torch.no_grad()`"
            stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            if stored and not self._is_number(node):
                return f"line {_line(node)} keeps what `torch.no_grad()` would keep from learning"
        seeds = {n for n in inside if isinstance(n, ast.Return) and n.value and _reads(n.value)}
        return self._from(self._scope(block), _bound_in(block), frozenset(seeds), 0)

    def _from(self, scope: ast.AST, names: set[str], seeds: frozenset[ast.AST], deep: int) -> str:
        """Why what comes from ``names``, and from the nodes ``seeds``, may be learned from."""
        found, size = set(names), -1
        nodes = list(ast.walk(scope))
        while size < len(found):
            size = len(found)
            for node in nodes:
                for target, value in _bindings(node):
                    if _comes(value, found, seeds):
                        found |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
        for node in nodes:
            if _is_backward(node) and _comes(node, found, seeds):
                return f"line {_line(node)} learns from what `torch.no_grad()` would cover"
            given = node.value if isinstance(node, (ast.Return, ast.Yield)) else None
            if given is not None and (node in seeds or _comes(given, found, seeds)):
                reason = self._from_calls(scope, _line(node), deep)
                if reason:
                    return reason
        return ""

    def _from_calls(self, scope: ast.AST, line: int, deep: int) -> str:
        """The same for what the calls of a function give."""
        told = f"line {line} returns what `torch.no_grad()` would keep from learning"
        name = getattr(scope, "name", "")
        above = self.comparison.after.parents.get(scope)
        if not name or name == "forward" or isinstance(above, ast.ClassDef) or deep > _DEEP:
            return told
        for source in self.comparison.after.program.sources.values():
            for node in source.nodes:
                if not _names(node, name):
                    continue
                call = self.comparison.after.parents.get(node)
                if not isinstance(call, ast.Call) or call.func is not node:
                    return told  # it is handed on
                if self._from(self._scope(call), set(), frozenset((call,)), deep + 1):
                    return told
        return ""

    def _scope(self, node: ast.AST) -> ast.AST:
        """The function around ``node``, or its module."""
        around = list(enclosing(self.comparison.after, node))
        return next((n for n in around if isinstance(n, SCOPES)), around[-1])

    def _is_number(self, target: ast.AST) -> bool:
        above = self.comparison.after.parents.get(target)
        value = getattr(above, "value", None)
        return isinstance(value, ast.expr) and not _reads(value)


def _is_backward(node: ast.AST) -> bool:
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in ("backward", "grad")


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def _names(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Attribute) and node.attr == name


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            yield target, value


def _bound_in(block: ast.With) -> set[str]:
    """The names that hold something with gradients behind the block."""
    nodes = [n for statement in block.body for n in ast.walk(statement)]
    pairs = [pair for node in nodes for pair in _bindings(node)]
    learned = [target for target, value in pairs if _reads(value)]
    return {n.id for target in learned for n in ast.walk(target) if isinstance(n, ast.Name)}


def _reads(tree: ast.AST) -> frozenset[str]:
    """The names that a value is made from; what is read out of a graph of gradients is not."""
    return frozenset(n.id for n in _uncut(tree) if isinstance(n, ast.Name))


def _comes(tree: ast.AST, names: set[str], seeds: frozenset[ast.AST]) -> bool:
    """Whether a value is made from one of these."""
    return any(
        node in seeds or (isinstance(node, ast.Name) and node.id in names) for node in _uncut(tree)
    )


def _uncut(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes from which gradients come to ``tree``: none is behind ``.item()`` or ``.data``."""
    if isinstance(tree, ast.Attribute) and tree.attr in ("data", "shape"):
        return
    called = tree.func if isinstance(tree, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr in _CUTS:
        return
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _uncut(child)
