"""What the calls in a file give to the parameters of its own functions, as the text says."""

from __future__ import annotations

import ast

from devicefix.flow.given import given_by
from devicefix.flow.scopes import scope_of
from devicefix.source import Source
from devicefix.source.parsing import Parents
from devicefix.source.walking import walk

_INIT = "__init__"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def handed_on(source: Source, tree: ast.expr) -> list[ast.expr]:
    """What a name may be that is a parameter and nothing else: all that calls in this file give.

    Nothing where its function is more than called, or a call leaves open what it gives. Whether
    other files call it is not asked.
    """
    return source.once(_given).get(_parameter(source, tree), []) if _is_read(tree) else []


def _is_read(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Name) and isinstance(tree.ctx, ast.Load)


def _parameter(source: Source, tree: ast.expr) -> tuple[ast.AST, str]:
    """The function whose parameter ``tree`` may name, and its name."""
    assert isinstance(tree, ast.Name)
    return scope_of(Parents(), tree), tree.id


def _given(source: Source) -> dict[tuple[ast.AST, str], list[ast.expr]]:
    """By function and parameter, what all calls give."""
    parents, calls = Parents(), _calls(source)
    found: dict[tuple[ast.AST, str], list[ast.expr]] = {}
    for function in (*source.of_type(ast.FunctionDef), *source.of_type(ast.AsyncFunctionDef)):
        assert isinstance(function, _Function)
        owner = parents[function]
        method = isinstance(owner, ast.ClassDef)
        own = isinstance(owner, ast.ClassDef) and function.name == _INIT
        called = calls.get(owner.name if own else function.name)  # type: ignore[attr-defined]
        if not called or function.decorator_list:
            continue
        bound = {n.id for n in walk(function) if _is_bound(n)}  # type: ignore[attr-defined]
        for parameter in (*function.args.args, *function.args.kwonlyargs):
            values = [given_by(call, function, parameter.arg, method) for call in called]
            known = [value for value in values if value is not None]
            if len(known) == len(values) and parameter.arg not in bound:
                found[function, parameter.arg] = known
    return found


def _is_bound(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


def _calls(source: Source) -> dict[str, list[ast.Call]]:
    """The calls of what a file defines once under a name, where it does nothing else with it."""
    parents = Parents()
    defined: dict[str, int] = {}
    for kind in (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef):
        for definition in source.of_type(kind):
            name = definition.name  # type: ignore[attr-defined]
            defined[name] = defined.get(name, 0) + 1
    found: dict[str, list[ast.Call]] = {}
    more: set[str] = set()
    for node in (*source.of_type(ast.Name), *source.of_type(ast.Attribute)):
        name = getattr(node, "attr", getattr(node, "id", ""))
        if name not in defined:
            continue
        call = parents[node]
        if isinstance(call, ast.Call) and call.func is node:
            found.setdefault(name, []).append(call)
        else:
            more.add(name)
    return {n: calls for n, calls in found.items() if defined[n] == 1 and n not in more}
