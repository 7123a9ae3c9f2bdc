"""What is put into a list after it was made."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from devicefix.dialect.scopes import Binding, Scopes, package_of
from devicefix.source.parsing import Parents

_READING: Final = frozenset({"count", "index", "pop", "reverse", "sort", "remove"})
_READERS: Final = frozenset(
    {
        *("len", "sum", "min", "max", "any", "all", "sorted", "reversed", "enumerate", "zip"),
        *("iter", "list", "tuple", "set", "dict", "map", "filter", "reduce", "print", "str"),
    }
)
"""Functions of Python that put nothing into a list that they are given."""
_LIBRARIES: Final = frozenset({"torch", "numpy", "random", "math", "cPickle", "pickle", "json"})
"""Their functions may change the order of a list, and put nothing into it."""


class Growing:
    """The lists of a file of which every use can be seen."""

    def __init__(self, nodes: Sequence[ast.AST], scopes: Scopes) -> None:
        self._scopes = scopes
        self._parents = Parents()
        self._names: dict[str, list[ast.Name]] = {}
        for node in nodes:
            if isinstance(node, ast.Name):
                self._names.setdefault(node.id, []).append(node)

    def added(self, name: str, binding: Binding) -> Sequence[ast.expr] | None:
        """All that is put into a list bound by ``binding``; None where others may do so."""
        found: list[ast.expr] = []
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
            case ast.Call(func=function, args=args) if use in args:
                return [] if self._reads(function) else None
            case ast.For() | ast.comprehension() | ast.Compare() | ast.If() | ast.BinOp():
                return []
            case ast.BoolOp() | ast.UnaryOp() | ast.While():
                return []
        return None

    def _reads(self, function: ast.expr) -> bool:
        """Whether a function puts nothing into a list that it is given."""
        if self._scopes.is_builtin(function, *_READERS):
            return True
        root = function
        while isinstance(root, ast.Attribute):
            root = root.value
        return package_of(root, self._scopes) in _LIBRARIES
