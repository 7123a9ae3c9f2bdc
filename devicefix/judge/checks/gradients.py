"""Does everything that learned still learn?

What the edits put below ``torch.no_grad()`` must be computed for nobody who learns from it: nothing
calls ``backward`` on what comes from it, neither there nor where a function that returns it is
called, and no object keeps it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Final

from msgspec import Struct

from devicefix.flow.ir import Bodies, Body, Kind, Op, scope_around
from devicefix.flow.queries.slicing import forward_slice
from devicefix.judge.comparison import Comparison, Objection
from devicefix.source import Source
from devicefix.source.walking import walk

NAME: Final = "gradients"
_CONTEXTS: Final = ("no_grad", "inference_mode")
_CUTS: Final = frozenset(("item", "tolist", "numpy", "detach", "argmax", "size"))
"""Methods whose results have no gradients."""
_BARE: Final = frozenset(("data", "shape"))
"""Attributes that have none."""
_UNKNOWN: Final = frozenset(
    (Kind.ARGUMENT, Kind.OUTER, Kind.CALL, Kind.CAUGHT, Kind.ENTER, Kind.SUSPEND, Kind.IMPORT)
)
"""Operations whose results may have a gradient, whatever their operands have."""
_LEARNS: Final = frozenset(("backward", "grad"))
_DEEP: Final = 4
"""Calls through which a result is followed back."""


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each ``with torch.no_grad():`` that the edits have written."""
    for path in comparison.maps:
        source = comparison.source(path)
        for block in source.of_type(ast.With):
            contexts = [item.context_expr for item in block.items]
            if any(_is_no_grad(comparison, path, tree) for tree in contexts):
                reason = _Learning(comparison).below(source, block)
                if reason:
                    yield comparison.objection(NAME, path, contexts[0], reason)


def _is_no_grad(comparison: Comparison, path: str, tree: ast.expr) -> bool:
    called = tree.func if isinstance(tree, ast.Call) else tree
    named = isinstance(called, ast.Attribute) and called.attr in _CONTEXTS
    return named and comparison.is_written(path, tree)


class _Learning(Struct, frozen=True):
    """Who learns from what is computed somewhere."""

    comparison: Comparison

    def below(self, source: Source, block: ast.With) -> str:
        """Why what is computed in ``block`` may be learned from; empty where it is not."""
        inside = {node for statement in block.body for node in walk(statement)}
        body = source.once(Bodies).around(block)
        graded = _graded(body)
        ops = [op for op in body.ops if op.node in inside]
        for op in ops:
            if _is_backward(op):
                return f"line {_line(op)} needs gradients under `torch.no_grad()`"
            kept = op.kind in (Kind.SET_ATTRIBUTE, Kind.STORE_OUTER)
            if kept and op.operands[-1] in graded:
                return (
                    f"line {_line(op)} stores a value that would have no gradient under "
                    "`torch.no_grad()`"
                )
        computed = [op for op in ops if op.kind in (Kind.CALL, Kind.COMPUTE) and op in graded]
        return self._from(source, body, computed, 0)

    def _from(self, source: Source, body: Body, computed: Collection[Op], deep: int) -> str:
        """Why what comes from some operations may be learned from."""
        found = forward_slice(body, computed, _keeps)
        for op in body.ops:
            if found.isdisjoint(op.operands):
                continue
            if _is_backward(op):
                return (
                    f"line {_line(op)} needs gradients of a value computed under `torch.no_grad()`"
                )
            if op.kind in (Kind.RETURN, Kind.SUSPEND):
                reason = self._from_calls(body.scope, _line(op), deep)
                if reason:
                    return reason
        return _learned_inside(body, {op.name for op in found} & body.shared)

    def _from_calls(self, scope: ast.AST, line: int, deep: int) -> str:
        """The same for what the calls of a function give."""
        told = f"line {line} returns a value that would have no gradient under `torch.no_grad()`"
        name = getattr(scope, "name", "")
        parents = self.comparison.after.parents
        above = parents.get(scope)
        if not name or name == "forward" or isinstance(above, ast.ClassDef) or deep > _DEEP:
            return told
        for source in self.comparison.after.program.sources.values():
            for node in source.nodes:
                if not _names(node, name):
                    continue
                call = parents.get(node)
                if not isinstance(call, ast.Call) or call.func is not node:
                    return told  # it is handed on
                body = source.once(Bodies).of(scope_around(parents, call))
                if self._from(source, body, body.of(call), deep + 1):
                    return told
        return ""


def _graded(body: Body) -> frozenset[Op]:
    """The operations whose results may have a gradient."""
    sources = [op for op in body.ops if op.kind in _UNKNOWN and _keeps(op)]
    return forward_slice(body, sources, _keeps)


def _keeps(op: Op) -> bool:
    """Whether gradients go through an operation: none is behind ``.item()`` or ``.data``."""
    if op.kind is Kind.ATTRIBUTE:
        return op.name not in _BARE
    called = op.operands[0] if op.kind is Kind.CALL else None
    return called is None or called.kind is not Kind.ATTRIBUTE or called.name not in _CUTS


def _is_backward(op: Op) -> bool:
    called = op.operands[0] if op.kind is Kind.CALL else None
    return called is not None and called.kind is Kind.ATTRIBUTE and called.name in _LEARNS


def _learned_inside(body: Body, shared: Collection[str]) -> str:
    """Why functions inside the scope that read such a name may learn from it."""
    for node in walk(body.scope) if shared else ():
        func = node.func if isinstance(node, ast.Call) else None
        if isinstance(func, ast.Attribute) and func.attr in _LEARNS and node not in body.made:
            return f"line {func.lineno} needs gradients of a value computed under `torch.no_grad()`"
    return ""


def _line(op: Op) -> int:
    return int(getattr(op.node, "lineno", 0))


def _names(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Attribute) and node.attr == name
