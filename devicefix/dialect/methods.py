"""``it.next()``: iterators have ``__next__`` now."""

from __future__ import annotations

import ast

from devicefix.dialect.draft import Draft
from devicefix.dialect.kinds import Kind
from devicefix.findings import Span


def call_next(draft: Draft) -> None:
    """``it.next()`` -> ``next(it)``, unless it may be a method of the program."""
    for node in draft.walk():
        match node:
            case ast.Call(func=ast.Attribute(attr="next") as function, args=[], keywords=[]):
                _next(draft, node, function)


def _next(draft: Draft, node: ast.Call, function: ast.Attribute) -> None:
    if draft.around.own_next and draft.kinds.of(function.value) is not Kind.ITERATOR:
        draft.note(
            node,
            "iterators have no method next() in Python 3; a class of this program has one",
            "write next(…) if this is an iterator",
        )
        return
    whole, dot = draft.source.span(node), draft.dot(function)
    change = draft.change(whole, ".next()")
    draft.insert_before(node, "next(", change)
    draft.replace(Span(dot, whole.end), ")", "", change)
