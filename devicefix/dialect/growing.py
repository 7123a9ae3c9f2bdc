"""What a list holds that is made once and then appended to."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from devicefix.dialect.scopes import Binding, Scopes
from devicefix.source.parsing import Parents

_READING: Final = frozenset({"count", "index", "pop", "reverse", "sort", "remove"})


class Growing:
    """The lists of a file of which every use can be seen."""

    def __init__(self, nodes: Sequence[ast.AST], scopes: Scopes) -> None:
        self._scopes = scopes
        self._parents = Parents()
        self._names: dict[str, list[ast.Name]] = {}
        for node in nodes:
            if isinstance(node, ast.Name):
                self._names.setdefault(node.id, []).append(node)

    def elements(self, name: str, binding: Binding) -> Sequence[ast.expr] | None:
        """All that a list bound by ``binding`` may hold; None where others may put things in."""
        if not isinstance(binding.value, ast.List) or binding.path:
            return None
        found = list(binding.value.elts)
        for use in self._names.get(name, ()):
            if binding not in self._scopes.bindings(use) or isinstance(use.ctx, ast.Store):
                continue
            appended = self._appended(use)
            if appended is None:
                return None
            found += appended
        return found

    def _appended(self, use: ast.Name) -> list[ast.expr] | None:
        """What one use puts in; None where that is not known."""
        parent = self._parents.get(use)
        match parent:
            case ast.Attribute(attr="append"):
                call = self._parents.get(parent)
                return call.args if isinstance(call, ast.Call) and call.func is parent else None
            case ast.Attribute(attr=attr):
                return [] if attr in _READING else None
            case ast.Subscript(value=value, ctx=ast.Load()):
                return [] if value is use else None
            case ast.Call(func=ast.Name() as function, args=args) if use in args:
                quiet = ("len", "sum", "min", "max", "sorted", "enumerate", "zip", "print", "list")
                return [] if self._scopes.is_builtin(function, *quiet) else None
            case ast.For() | ast.comprehension() | ast.Compare() | ast.If() | ast.BinOp():
                return []
            case ast.BoolOp() | ast.UnaryOp() | ast.While():
                return []
        return None
