"""What runs in Python 3 and may do something else there; nothing is changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.dialect.draft import Draft
from devicefix.dialect.scopes import COMPREHENSIONS, FUNCTIONS


def report(draft: Draft) -> None:
    """Note names that live shorter now, text that is no longer bytes, and code in strings."""
    for node in draft.walk():
        if isinstance(node, ast.ListComp):
            _leaked(draft, node, [g.target for g in node.generators], "a list comprehension")
        elif isinstance(node, ast.ExceptHandler) and node.name:
            _caught(draft, node)
        elif isinstance(node, ast.Call):
            _call(draft, node)
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Constant):
            draft.note(node, "a string cannot be raised in Python 3", "raise an exception")


def _leaked(draft: Draft, node: ast.AST, targets: list[ast.expr], where: str) -> None:
    names = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    holder = next(p for p in draft.parents(node) if isinstance(p, (*FUNCTIONS, ast.Module)))
    for name in sorted(names):
        use = _next_use(draft, holder, name, draft.source.span(node).end)
        if use is not None and not _bound_anew(draft, name, node):
            draft.note(
                use,
                f"in Python 2, `{name}` is still bound after {where} (line {node.lineno})",  # type: ignore[attr-defined]
                "assign it where it is needed",
            )


def _next_use(draft: Draft, holder: ast.AST, name: str, end: int) -> ast.Name | None:
    """The first mention of a name in a scope behind a place, if it is read there."""
    later = {
        draft.source.span(n).start: n
        for n in _own(holder)
        if isinstance(n, ast.Name) and n.id == name and draft.source.span(n).start >= end
    }
    first = later[min(later)] if later else None
    return first if first is not None and isinstance(first.ctx, ast.Load) else None


def _bound_anew(draft: Draft, name: str, node: ast.AST) -> bool:
    """Whether the statement around binds the name itself."""
    statement = next(p for p in draft.parents(node) if isinstance(p, ast.stmt))
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
        for target in getattr(statement, "targets", [])
        for n in ast.walk(target)
    )


def _own(holder: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope; comprehensions and functions inside have their own names."""
    for child in ast.iter_child_nodes(holder):
        if isinstance(child, (*COMPREHENSIONS, *FUNCTIONS, ast.ClassDef)):
            continue
        yield child
        yield from _own(child)


def _caught(draft: Draft, node: ast.ExceptHandler) -> None:
    assert node.name is not None
    holder = next(p for p in draft.parents(node) if isinstance(p, (*FUNCTIONS, ast.Module)))
    use = _next_use(draft, holder, node.name, draft.source.span(node).end)
    if use is not None:
        draft.note(
            use,
            f"Python 3 deletes `{node.name}` at the end of the except clause (line {node.lineno})",
            "assign it to another name inside the clause",
        )


def _call(draft: Draft, node: ast.Call) -> None:
    match node.func:
        case ast.Attribute(attr="decode" | "encode" as name, value=value):
            if name in draft.around.own_methods or draft.is_module(value):
                return
            what = "bytes" if name == "decode" else "str"
            other = "text" if name == "decode" else "bytes"
            draft.note(
                node,
                f"in Python 3, .{name}() is a method of {what} and returns {other}",
                "remove the call if the value is text",
            )
        case ast.Name(id="round") if draft.scopes.is_builtin(node.func, "round"):
            if len(node.args) == 1:
                draft.note(
                    node,
                    "round() returns an integer now, and rounds halves to even",
                    "use numpy.floor(x + 0.5) to round halves up",
                )
        case ast.Name(id="exec") if (
            draft.scopes.is_builtin(node.func, "exec") and len(node.args) == 1
        ):
            if any(isinstance(p, FUNCTIONS) for p in draft.parents(node)):
                draft.note(
                    node,
                    "in Python 3, exec() cannot assign local variables of the function around it",
                    "pass it a dict, and read the names from there",
                )
