"""``it.next()``, and how a generator ends."""

from __future__ import annotations

import ast

from devicefix.dialect.draft import Change, Draft
from devicefix.dialect.kinds import Kind
from devicefix.dialect.scopes import FUNCTIONS
from devicefix.findings import Span


def call_next(draft: Draft) -> None:
    """``it.next()`` -> ``next(it)``, unless it may be a method of the program."""
    for node in draft.walk():
        match node:
            case ast.Call(func=ast.Attribute(attr="next") as function, args=[], keywords=[]):
                _next(draft, node, function)


def _next(draft: Draft, node: ast.Call, function: ast.Attribute) -> None:
    if draft.kinds.of(function.value) is not Kind.ITERATOR:
        # a progress bar is told of the next step, and gives nothing
        told = isinstance(draft.parent(node), ast.Expr)
        if draft.around.own_next or told:
            why = "" if told else ", but a class of this program does"
            draft.note(
                node,
                f"iterators have no method next() in Python 3{why}",
                "write next(…) if this is an iterator",
            )
            return
    if _ends_generator(draft, node):
        draft.note(
            node,
            "the end of this iterator ends the generator, which is an error since Python 3.7",
            "write a `for` loop, or catch StopIteration and return",
        )
        return
    write_next(draft, node, function, draft.change(node, ".next()"))


def _ends_generator(draft: Draft, node: ast.AST) -> bool:
    """Whether a StopIteration that it raises leaves a generator (PEP 479)."""
    child = node
    for above in draft.parents(node):
        if (
            isinstance(above, ast.Try)
            and child in above.body
            and any(map(_catches, above.handlers))
        ):
            return False
        if isinstance(above, (*FUNCTIONS, ast.GeneratorExp)):
            return isinstance(above, ast.FunctionDef) and _is_generator(above)
        child = above
    return False


def _catches(handler: ast.ExceptHandler) -> bool:
    """Whether it handles a StopIteration."""
    types = list(ast.walk(handler.type)) if handler.type is not None else []
    named = {t.id for t in types if isinstance(t, ast.Name)}
    return not types or bool(named & {"Exception", "BaseException", "StopIteration"})


def write_next(draft: Draft, node: ast.Call, function: ast.Attribute, change: Change) -> None:
    """``it.next()`` -> ``next(it)``, ``loader.__iter__().next()`` -> ``next(iter(loader))``."""
    _call_builtin(draft, node, function, "next", change)
    match function.value:
        case ast.Call(func=ast.Attribute(attr="__iter__") as inner, args=[], keywords=[]):
            _call_builtin(draft, function.value, inner, "iter", change)


def _call_builtin(
    draft: Draft, node: ast.Call, function: ast.Attribute, name: str, change: Change
) -> None:
    draft.insert_before(node, f"{name}(", change)
    draft.replace(Span(draft.dot(function), draft.source.span(node).end), ")", "", change)


def end_generators(draft: Draft) -> None:
    """``raise StopIteration`` in a generator is ``return``: it is an error now (PEP 479)."""
    for node in draft.walk():
        if isinstance(node, ast.Raise) and _stops(draft, node.exc):
            definition = next((p for p in draft.parents(node) if isinstance(p, FUNCTIONS)), None)
            if isinstance(definition, ast.FunctionDef) and _is_generator(definition):
                draft.replace(node, "return", "raise StopIteration")


def _stops(draft: Draft, raised: ast.expr | None) -> bool:
    if isinstance(raised, ast.Call) and not raised.args:
        raised = raised.func
    return raised is not None and draft.scopes.is_builtin(raised, "StopIteration")


def _is_generator(definition: ast.FunctionDef) -> bool:
    stack: list[ast.AST] = [*definition.body]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            stack += ast.iter_child_nodes(node)
    return False
