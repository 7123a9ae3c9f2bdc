"""Comparing by a function, and ``has_key``: what has to be written in another order."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.dialect.draft import Draft
from devicefix.findings import Span

_SIMPLE: Final = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript)
_LOOSE: Final = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.NamedExpr)
_ORDERING: Final = frozenset(("cmp", "has_key", "sort", "sorted"))
_TO_KEY: Final = "key=functools.cmp_to_key("


def _is_about_order(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in _ORDERING


def order(draft: Draft) -> None:
    """``cmp=`` becomes ``key=``, ``has_key`` becomes ``in``, ``cmp`` two comparisons."""
    for node in draft.walk():
        if not isinstance(node, ast.Call) or not _is_about_order(node.func):
            continue
        if draft.is_guarded(node):
            continue
        match node.func:
            case ast.Attribute(attr="sort") | ast.Name(id="sorted"):
                _sort(draft, node)
            case ast.Attribute(attr="has_key") as function:
                _has_key(draft, node, function)
            case ast.Name(id="cmp"):
                if draft.scopes.is_builtin(node.func, "cmp"):
                    _compare(draft, node)


def _sort(draft: Draft, node: ast.Call) -> None:
    given = next((k for k in node.keywords if k.arg == "cmp"), None)
    if any(k.arg == "key" for k in node.keywords):
        if given is not None:
            draft.note(node, "cmp= was removed, and was used together with key=", "use key= alone")
        return
    function = _positional(draft, node) if given is None else given.value
    if function is None or (isinstance(function, ast.Constant) and function.value is None):
        return
    start = draft.source.span(given or function).start
    value = draft.source.span(function).start
    change = draft.change(given or function, "cmp=")
    draft.replace(Span(start, value), _TO_KEY, "", change)
    draft.insert(draft.source.span(function).end, ")", change)
    draft.need("import functools", change)


def _positional(draft: Draft, node: ast.Call) -> ast.expr | None:
    """A function that compares, where it is given by its place."""
    if isinstance(node.func, ast.Name):
        builtin = draft.scopes.is_builtin(node.func, "sorted")
        return node.args[1] if builtin and len(node.args) == 2 else None
    return node.args[0] if len(node.args) == 1 and _takes_two(draft, node.args[0]) else None


def _takes_two(draft: Draft, node: ast.expr) -> bool:
    """Whether ``node`` is a function of two parameters: others have a ``sort`` as well."""
    match node:
        case ast.Lambda(args=ast.arguments(args=[_, _])):
            return True
        case ast.Name():
            nodes = [b.node for b in draft.scopes.bindings(node)]
            return bool(nodes) and all(
                isinstance(n, ast.FunctionDef) and len(n.args.args) == 2 for n in nodes
            )
    return False


def _has_key(draft: Draft, node: ast.Call, function: ast.Attribute) -> None:
    if len(node.args) != 1 or node.keywords:
        return
    if "has_key" in draft.around.own_methods:
        if draft.is_python2:
            draft.note(
                node,
                "dicts have no has_key() in Python 3, but a class of this program does",
                "write `key in …` if this is a dict",
            )
        return
    source, key = draft.source, node.args[0]
    whole, holder = source.span(node), source.span(function.value)
    text = f"({source.segment(key)})" if isinstance(key, _LOOSE) else source.segment(key)
    parent = draft.parent(node)
    negated = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    start, operator, before, after = whole.start, "in", "(", ")"
    if negated and source.text[source.span(parent).start : whole.start].strip() == "not":
        start, operator, before, after = source.span(parent).start, "not in", "", ""
    elif _stands_alone(parent, node):
        before = after = ""
    change = draft.change(whole, "has_key()")
    draft.replace(Span(start, holder.start), f"{before}{text} {operator} ", "", change)
    draft.replace(Span(holder.end, whole.end), after, "", change)


def _stands_alone(parent: ast.AST, node: ast.expr) -> bool:
    """Whether a comparison needs no parentheses there."""
    if isinstance(parent, ast.IfExp):
        return parent.test is node
    return isinstance(
        parent, (ast.If, ast.While, ast.BoolOp, ast.Assign, ast.Return, ast.Call, ast.Assert)
    )


def _compare(draft: Draft, node: ast.Call) -> None:
    if len(node.args) != 2 or not all(isinstance(a, _SIMPLE) for a in node.args):
        draft.note(node, "`cmp` was removed in Python 3", "(a > b) - (a < b)")
        return
    left, right = map(draft.source.segment, node.args)
    draft.replace(node, f"(({left} > {right}) - ({left} < {right}))", "cmp()")
