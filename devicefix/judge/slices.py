"""What an expression is computed from: names and attributes, through the assignments of a program.

A backward slice by name, without order: it has too much rather than too little in it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from devicefix.flow.evaluated import Evaluated
from devicefix.flow.values import External, File
from devicefix.source.walking import walk

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_MOST: int = 2_000


class Slicer(Struct, frozen=True, dict=True, eq=False):
    """Slices of the expressions of one program."""

    side: Evaluated

    def of(self, tree: ast.expr) -> frozenset[str]:
        """The names (``use_cuda``) and attributes (``.cuda``) that ``tree`` is computed from."""
        found: set[str] = set()
        seen: set[ast.AST] = set()
        waiting: list[ast.AST] = [tree]
        while waiting and len(seen) < _MOST:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            for part in walk(node):
                if isinstance(part, ast.Name):
                    found.add(part.id)
                    waiting += self._bindings(part)
                elif isinstance(part, ast.Attribute) and not self._is_of_library(part):
                    found.add("." + part.attr)
                    waiting += self._stores.get(part.attr, ())
        return frozenset(found)

    def definitions(self, tree: ast.expr) -> Sequence[ast.expr] | None:
        """The values that ``tree``, a name or an attribute, may be bound to.

        None where one of them is not in the text: a parameter, an option, an import.
        """
        if isinstance(tree, ast.Name):
            scope = self._scope_of(tree)
            if scope is None:
                return None
            values = self._assigned(scope).get(tree.id, [])
            return values or None
        if isinstance(tree, ast.Attribute):
            return self._stores.get(tree.attr) or None
        return None

    def parameter_of(self, tree: ast.expr) -> _Function | None:
        """The function whose parameter a name is."""
        if not isinstance(tree, ast.Name):
            return None
        scope = self._scope_of(tree)
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return scope if tree.id in _parameters(scope) else None
        return None

    def given(self, tree: ast.Name) -> Sequence[ast.expr]:
        """What the calls that are found give for ``tree``, a parameter; its default, where one
        gives nothing."""
        function = self.parameter_of(tree)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return ()
        found = [g for g in self._given(function, tree.id) if isinstance(g, ast.expr)]
        default = _default(function, tree.id)
        if default is not None and len(found) < len(self._calls_of(function)):
            found.append(default)
        return found

    def _calls_of(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Sequence[ast.Call]:
        above = self.side.parents.get(function)
        made = isinstance(above, ast.ClassDef) and function.name == "__init__"
        name = above.name if made and isinstance(above, ast.ClassDef) else function.name
        return self._calls.get(name, [])

    def _is_of_library(self, tree: ast.Attribute) -> bool:
        """``torch.cuda`` is no flag called ``cuda``."""
        values = self.side.values(tree)
        return bool(values) and all(isinstance(v, (External, File)) for v in values)

    def _bindings(self, name: ast.Name) -> Iterator[ast.AST]:
        scope = self._scope_of(name)
        if scope is None:
            return
        yield from self._assigned(scope).get(name.id, ())
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parameters = _parameters(scope)
            if name.id in parameters:
                yield from self._given(scope, name.id)

    def _scope_of(self, name: ast.Name) -> ast.AST | None:
        """The function or module that binds a name where it is read."""
        above: ast.AST | None = self.side.parents.get(name)
        while above is not None:
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                if name.id in _parameters(above) or name.id in self._assigned(above):
                    return above
            elif isinstance(above, ast.Module):
                return above
            above = self.side.parents.get(above)
        return None

    def _assigned(self, scope: ast.AST) -> dict[str, list[ast.expr]]:
        """By name, what a scope assigns to it, nested scopes left out."""
        known = self._by_scope.get(scope)
        if known is None:
            known = {}
            for node in _own_nodes(scope):
                for target, value in _assignments(node):
                    if isinstance(target, ast.Name):
                        known.setdefault(target.id, []).append(value)
            self._by_scope[scope] = known
        return known

    def _given(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str
    ) -> Iterator[ast.AST]:
        """What calls of a function, found by its name, give for a parameter."""
        method = isinstance(self.side.parents.get(function), ast.ClassDef)
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        at = names.index(name) - (1 if method else 0) if name in names else -1
        for call in self._calls_of(function):
            for keyword in call.keywords:
                if keyword.arg == name:
                    yield keyword.value
            if 0 <= at < len(call.args):
                yield call.args[at]

    @cached_property
    def _by_scope(self) -> dict[ast.AST, dict[str, list[ast.expr]]]:
        return {}

    @cached_property
    def _stores(self) -> dict[str, list[ast.expr]]:
        """By attribute, what the program assigns to it, whatever holds it."""
        found: dict[str, list[ast.expr]] = {}
        for source in self.side.program.sources.values():
            for node in source.of_type(ast.Assign):
                for target, value in _assignments(node):
                    if isinstance(target, ast.Attribute):
                        found.setdefault(target.attr, []).append(value)
        return found

    @cached_property
    def _calls(self) -> dict[str, list[ast.Call]]:
        """By the last name of what is called."""
        found: dict[str, list[ast.Call]] = {}
        for source in self.side.program.sources.values():
            for call in source.of_type(ast.Call):
                name = getattr(call.func, "attr", None) or getattr(call.func, "id", None)
                if name:
                    found.setdefault(name, []).append(call)
        return found


def _default(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> ast.expr | None:
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args]
    with_default = positional[len(positional) - len(spec.defaults) :]
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(with_default, spec.defaults, strict=True),
        *zip(spec.kwonlyargs, spec.kw_defaults, strict=True),
    ]
    return next((value for arg, value in pairs if arg.arg == name), None)


def _parameters(function: _Function) -> frozenset[str]:
    spec = function.args
    spread = [a for a in (spec.vararg, spec.kwarg) if a is not None]
    every: Iterable[ast.arg] = (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *spread)
    return frozenset(a.arg for a in every)


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, those of functions and classes inside it left out."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)


def _assignments(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _paired(target, value)
        case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            yield from _paired(target, value)
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield from _paired(target, value)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(target, (ast.Tuple, ast.List)):
        several = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
        for at, part in enumerate(target.elts):
            own = value.elts[at] if several and isinstance(value, (ast.Tuple, ast.List)) else value
            yield from _paired(part, own)
    else:
        yield target, value
