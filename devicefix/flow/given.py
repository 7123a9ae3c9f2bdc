"""What parameters are given, and attributes are set to, as the text says."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from devicefix.flow.analysis import Analysis
from devicefix.flow.definitions import parameters, path_of, setters

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def given_by(call: ast.Call, function: _Function, name: str, bound: int) -> ast.expr | None:
    """What ``call`` gives for the parameter ``name``, or its default; None where nobody can tell.

    ``bound``: how many parameters are bound before, such as ``self``.
    """
    if any(isinstance(a, ast.Starred) for a in call.args) or any(not k.arg for k in call.keywords):
        return None
    spec = function.args
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    for parameter, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if parameter.arg == name:
            return default
    names = [parameter.arg for parameter in (*spec.posonlyargs, *spec.args)]
    at = names.index(name) if name in names else -1
    if at < bound:
        return None
    if at - bound < len(call.args):
        return call.args[at - bound]
    late = at - (len(names) - len(spec.defaults))
    return spec.defaults[late] if late >= 0 else None


class Given:
    """What the names of a program may stand for."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis

    def of(self, name: str, scope: ast.AST | None) -> Iterator[ast.expr]:
        """What calls that were seen give for a parameter of ``scope``; without a scope, what an
        attribute is set to, of whatever object (``self.use_cuda = args.cuda``)."""
        for target in setters(self._analysis, name) if scope is None else ():
            statement = self._analysis.parents.get(target)
            if isinstance(statement, ast.Assign):
                yield statement.value
        if isinstance(scope, _Function) and name in parameters(scope):
            for call, bound in self._calls.get(scope, ()):
                value = given_by(call, scope, name, bound)
                if value is not None:
                    yield value

    def behind(self, tree: ast.expr) -> Sequence[ast.expr]:
        """What a name or an attribute stands for, directly or through other names."""
        found: list[ast.expr] = []
        waiting = [tree]
        while waiting:
            match waiting.pop():
                case ast.Attribute(attr=name):
                    values = [*self.of(name, None)]
                case ast.Name() as read:
                    path = path_of(self._analysis, read)
                    values = [*self.of(read.id, path.scope)] if path is not None else []
                case _:
                    continue
            new = [value for value in values if value not in found]
            found += new
            waiting += new
        return found

    @cached_property
    def _calls(self) -> Mapping[ast.AST, Sequence[tuple[ast.Call, int]]]:
        """The calls of each function, and how many parameters are bound before."""
        found: dict[ast.AST, list[tuple[ast.Call, int]]] = {}
        for call, reached in self._analysis.seen.reached.items():
            for function, bound in reached:
                if isinstance(call, ast.Call):
                    found.setdefault(function, []).append((call, bound))
        return found
