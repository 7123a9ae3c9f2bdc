"""What a decorator makes of a function or a class."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.flow.descriptors import answered_by
from devicefix.flow.escapes import hand_over
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.neighbours import is_idle, own_nodes
from devicefix.flow.values import (
    Bound,
    Class,
    External,
    Function,
    Instance,
    OneOf,
    Partial,
    Unknown,
    Value,
)
from devicefix.source.walking import walk
from devicefix.torch_api import World, world

_FOLLOWED = (Bound, Class, Function, Instance, Partial)
_MUTATORS = frozenset({"clear", "pop", "popitem", "setdefault", "update"})
_DISPATCHERS = frozenset({"functools.singledispatch", "functools.singledispatchmethod"})


def decorated(
    frame: Frame, tree: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, made: Value
) -> Value:
    """What the name of ``tree`` stands for once its decorators have taken ``made``."""
    for decorator in reversed(tree.decorator_list):
        value = frame.evaluate(decorator)
        if isinstance(made, Function) and (answered := answered_by(frame, decorator, value, made)):
            made = answered
        elif isinstance(value, _FOLLOWED) and not _is_idle(value):
            result = frame.call(decorator, value, Arguments([(None, made)]))
            made = _taken(frame, decorator, made, result)
        elif isinstance(value, External) and value.name in _DISPATCHERS:
            hand_over(frame, decorator, made, value.name)
            made = Unknown(f"{value.name} selects one of several functions")
        elif _may_call(value):
            hand_over(frame, decorator, made, "a decorator that was not analysed")
    return made


def _is_idle(decorator: Value) -> bool:
    return isinstance(decorator, Function) and is_idle(decorator)


def _may_call(decorator: Value) -> bool:
    """Whether nobody knows what becomes of what is decorated."""
    unseen = isinstance(decorator, External) and world(decorator.name) is World.UNKNOWN
    return unseen or isinstance(decorator, Unknown)


def _taken(frame: Frame, tree: ast.expr, made: Value, result: Value) -> Value:
    """What stands for ``made`` when one of the program's own decorators has returned ``result``.

    A function that only passes on what it is given is not told apart from the one it calls: of
    those that one decorator makes there may be many.
    """
    match result:
        case Function() if isinstance(made, Function):
            if passes_on(result, made):
                frame.analysis.wrappers.add(result.tree)
                return made
            return result.as_kind(made.kind)
        case Function() | Class() | Instance():
            return result
        case OneOf() | Unknown():
            hand_over(frame, tree, made, "a decorator that was not analysed")
            return Unknown("the result of a decorator")
    return made  # a registry that returns nothing


def passes_on(wrapper: Function, wrapped: Function) -> bool:
    """Whether each call of ``wrapper`` gives what ``wrapped`` gives for the same arguments."""
    tree = wrapper.tree
    if wrapper == wrapped:
        return True
    if isinstance(tree, ast.Lambda):
        return _is_call_of(wrapper, wrapped, tree.body)
    returned = [n.value for n in own_nodes(tree) if isinstance(n, ast.Return) and n.value]
    results = [value for each in returned for value in _sources(tree, each)]
    calls = [value for value in results if not _is_none(value)]
    return bool(calls) and all(_is_call_of(wrapper, wrapped, value) for value in calls)


def _is_none(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Constant) and tree.value is None


def _sources(
    tree: ast.FunctionDef | ast.AsyncFunctionDef, returned: ast.expr
) -> Iterator[ast.expr]:
    """What is assigned to the name that is returned, or what is returned itself."""
    if not isinstance(returned, ast.Name):
        yield returned
        return
    bound = [n for n in own_nodes(tree) if isinstance(n, ast.Name) and n.id == returned.id]
    stores = sum(isinstance(n.ctx, (ast.Store, ast.Del)) for n in bound)
    assigned = [
        n.value
        for n in own_nodes(tree)
        if isinstance(n, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == returned.id for t in n.targets)
    ]
    yield from assigned if stores == len(assigned) and assigned else [returned]


def _is_call_of(wrapper: Function, wrapped: Function, tree: ast.expr) -> bool:
    """``f(*args, **kwargs)`` with the parameters as they came, awaited or not."""
    if isinstance(tree, ast.Await):
        tree = tree.value
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return False
    if wrapper.frame.lookup(tree.func.id) != wrapped:
        return False
    spec = wrapper.tree.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    given = [_name(arg) for arg in tree.args]
    named = {k.arg: _name(k.value) for k in tree.keywords}
    rest = f"*{spec.vararg.arg}" if spec.vararg else None
    wanted = [*positional, rest] if rest else positional
    every: dict[str | None, str] = {a.arg: a.arg for a in spec.kwonlyargs}
    if spec.kwarg:
        every[None] = spec.kwarg.arg
    return given == wanted and named == every and not _rebinds(wrapper.tree, spec)


def _name(tree: ast.expr) -> str:
    match tree:
        case ast.Name(id=name):
            return name
        case ast.Starred(value=ast.Name(id=name)):
            return f"*{name}"
    return ""


def _rebinds(tree: ast.AST, spec: ast.arguments) -> bool:
    """Whether a parameter, or what ``**kwargs`` holds, may be another one when it is passed on."""
    names = {a.arg for a in walk(spec) if isinstance(a, ast.arg)}
    for node in walk(tree):
        changed: ast.expr | None = None
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                changed = node
            case ast.Subscript(value=inner, ctx=ast.Store() | ast.Del()):
                changed = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=method)) if method in _MUTATORS:
                changed = inner
        if isinstance(changed, ast.Name) and changed.id in names:
            return True
    return False
