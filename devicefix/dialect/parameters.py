"""What is passed to the functions of a file that nobody else calls.

A function inside of another one is called nowhere but there; those of the file and methods are
called from other files, too, where these import it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from devicefix.dialect.scopes import FUNCTIONS, Binding, Scopes
from devicefix.source.parsing import Parents

_Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
_UNCLEAR: Final = ast.Name("", ast.Load())
"""A use of something that may be another thing of the same name."""


class _Callee(NamedTuple):
    function: _Function
    owner: ast.ClassDef | None
    """The class whose method it is."""


class Parameters:
    """The arguments that each parameter may get, where all calls can be seen."""

    def __init__(self, nodes: Sequence[ast.AST], scopes: Scopes, closed: bool) -> None:
        """``closed``: no other file calls what this one defines."""
        self._scopes = scopes
        callees = [*_inner(nodes, scopes), *(_callees(nodes) if closed else ())]
        self._callees = {arg: callee for callee in callees for arg in _plain(callee)}
        self._parents = Parents()
        self._names: dict[str, list[ast.Name]] = {}
        self._attributes: dict[str, list[ast.Attribute]] = {}
        for node in nodes:
            if isinstance(node, ast.Name):
                self._names.setdefault(node.id, []).append(node)
            elif isinstance(node, ast.Attribute):
                self._attributes.setdefault(node.attr, []).append(node)
        self._methods = Counter(method.name for method in _methods(nodes))
        self._bases = {n for c in _classes(nodes) for b in c.bases for n in [_last(b)]}

    def passed(self, binding: Binding) -> Sequence[ast.expr] | None:
        """What ``binding``, a parameter, is given, its default included; None where that is not
        known: somebody may call it who is not seen, or passes what cannot be told apart.
        """
        if not isinstance(binding.node, ast.arg) or binding.node not in self._callees:
            return None
        callee = self._callees[binding.node]
        calls = self._calls(callee)
        if not calls:
            return None
        found: list[ast.expr] = []
        for call in calls:
            given = _given(call, callee, binding.node)
            if given is None:
                return None
            found.append(given)
        return found

    def _calls(self, callee: _Callee) -> list[ast.Call]:
        """All calls; none where it is used in another way."""
        uses = list(self._uses(callee))
        calls = [self._parents.get(use) for use in uses]
        found = [c for c, use in zip(calls, uses, strict=True) if _is_call(c, use)]
        return [c for c in found if isinstance(c, ast.Call)] if len(found) == len(uses) else []

    def _uses(self, callee: _Callee) -> Iterator[ast.expr]:
        function, owner = callee
        if function.decorator_list:
            return
        if owner is None:
            yield from self._uses_of_name(function)
        elif function.name != "__init__":
            yield from self._uses_of_method(function) if _is_closed(owner) else ()
        elif owner.name not in self._bases:
            yield from self._uses_of_name(owner)

    def _uses_of_name(self, definition: _Function | ast.ClassDef) -> Iterator[ast.expr]:
        for node in self._names.get(definition.name, ()):
            bound = [binding.node for binding in self._scopes.bindings(node)]
            if definition in bound:
                yield node if bound == [definition] else _UNCLEAR

    def _uses_of_method(self, method: _Function) -> Iterator[ast.expr]:
        alone = self._methods[method.name] == 1
        for node in self._attributes.get(method.name, ()):
            yield node if alone and isinstance(node.ctx, ast.Load) else _UNCLEAR


def _is_call(parent: ast.AST | None, use: ast.expr) -> bool:
    return isinstance(parent, ast.Call) and parent.func is use


def _given(call: ast.Call, callee: _Callee, parameter: ast.arg) -> ast.expr | None:
    """What one call passes for a parameter."""
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if starred or any(keyword.arg is None for keyword in call.keywords):
        return None
    arguments = callee.function.args
    names = [*arguments.posonlyargs, *arguments.args]
    at = names.index(parameter) - (callee.owner is not None)
    if 0 <= at < len(call.args):
        return call.args[at]
    for keyword in call.keywords:
        if keyword.arg == parameter.arg:
            return keyword.value
    from_end = len(names) - names.index(parameter)
    return arguments.defaults[-from_end] if from_end <= len(arguments.defaults) else None


def _inner(nodes: Sequence[ast.AST], scopes: Scopes) -> Iterator[_Callee]:
    """The functions that are local names of others."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            scope = scopes.of(node)
            if isinstance(scope.node, FUNCTIONS) and node.name not in scope.elsewhere:
                yield _Callee(node, None)


def _callees(nodes: Sequence[ast.AST]) -> Iterator[_Callee]:
    for node in nodes:
        at_top = isinstance(Parents().get(node), ast.Module)
        if at_top and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield _Callee(node, None)
    for owner in _classes(nodes):
        for node in owner.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _is_own(node.name):
                yield _Callee(node, owner)


def _is_own(name: str) -> bool:
    """Whether only the program itself calls a method of this name."""
    return name == "__init__" or not (name.startswith("__") or name == "forward")


def _is_closed(owner: ast.ClassDef) -> bool:
    """Whether no library that the class is made for calls methods of its own."""
    return all(_last(base) in ("object", "Module", "Dataset", "") for base in owner.bases)


def _classes(nodes: Sequence[ast.AST]) -> list[ast.ClassDef]:
    return [node for node in nodes if isinstance(node, ast.ClassDef)]


def _methods(nodes: Sequence[ast.AST]) -> Iterator[_Function]:
    for owner in _classes(nodes):
        for node in owner.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node


def _plain(callee: _Callee) -> list[ast.arg]:
    arguments = callee.function.args
    found = [*arguments.posonlyargs, *arguments.args]
    return found if callee.owner is None else found[1:]


def _last(base: ast.expr) -> str:
    return base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
