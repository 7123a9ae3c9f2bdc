"""What Python 2 let one ask of an exception that was caught."""

from __future__ import annotations

import ast
import builtins
from typing import Final

from devicefix.dialect.draft import Draft
from devicefix.findings import Span

_OF_THE_SYSTEM: Final = ("IOError", "OSError", "EnvironmentError")
"""Whose message was empty in Python 2, and whose text is not."""


def ask_exceptions(draft: Draft) -> None:
    """``e.message`` -> ``str(e)``, ``e[0]`` -> ``e.args[0]`` (PEP 352), ``print_exc(e)`` ->
    ``print_exc()``.
    """
    for node in draft.walk():
        match node:
            case ast.Attribute(attr="message", value=ast.Name() as caught, ctx=ast.Load()):
                _message(draft, node, caught)
            case ast.Subscript(value=ast.Name() as caught, ctx=ast.Load()):
                _item(draft, node, caught)
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Name(id="traceback") as module, attr="print_exc" | "format_exc"
                ),
                args=[ast.Name() as caught],
                keywords=[],
            ) if draft.is_module(module) and _handlers(draft, caught):
                # it went for the limit, and any number was less than an exception
                draft.replace(caught, "", "traceback.print_exc(e)")


def _item(draft: Draft, node: ast.Subscript, caught: ast.Name) -> None:
    handlers = _handlers(draft, caught)
    if not handlers or draft.is_guarded(node):
        return
    if any(_is_own(draft, handler.type) for handler in handlers):
        draft.note(node, "exceptions cannot be indexed in Python 3", "write .args if it has none")
        return
    end = draft.source.span(caught).end
    draft.replace(Span(end, end), ".args", "exception items")


def _message(draft: Draft, node: ast.Attribute, caught: ast.Name) -> None:
    handlers = _handlers(draft, caught)
    if not handlers or draft.is_guarded(node):
        return
    span = draft.source.span(caught)
    if not _is_given(draft) and all(_is_builtin(draft, handler.type) for handler in handlers):
        change = draft.replace(Span(span.start, span.start), "str(", "e.message")
        draft.replace(Span(span.end, draft.source.span(node).end), ")", "", change)
    else:
        draft.note(node, "exceptions have no `message` in Python 3", "use str(e)")


def _handlers(draft: Draft, caught: ast.Name) -> list[ast.ExceptHandler]:
    """The clauses that bind a name; none if something else does, too."""
    found = [binding.node for binding in draft.scopes.bindings(caught)]
    handlers = [node for node in found if isinstance(node, ast.ExceptHandler)]
    return handlers if len(handlers) == len(found) else []


def _is_given(draft: Draft) -> bool:
    """Whether the file gives something a message of its own."""
    return any(
        isinstance(n, ast.Attribute) and n.attr == "message" and isinstance(n.ctx, ast.Store)
        for n in draft.walk()
    )


def _is_own(draft: Draft, caught: ast.expr | None) -> bool:
    """Whether the file defines what is caught: it may have items of its own."""
    names = (n for n in ast.walk(caught) if isinstance(n, ast.Name)) if caught else ()
    return any(b.how == "definition" for name in names for b in draft.scopes.bindings(name))


def _is_builtin(draft: Draft, caught: ast.expr | None) -> bool:
    if isinstance(caught, ast.Tuple):
        return all(_is_builtin(draft, element) for element in caught.elts)
    if not isinstance(caught, ast.Name) or caught.id in _OF_THE_SYSTEM:
        return False
    known = caught.id == "StandardError" or hasattr(builtins, caught.id)
    return known and draft.scopes.is_builtin(caught, caught.id)
