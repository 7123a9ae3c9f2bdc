"""Pinned memory, where there is an accelerator to pin it for."""

from __future__ import annotations

import ast
from typing import Final

from devicefix.edits import ranks
from devicefix.edits.blocks import place_of
from devicefix.edits.errors import EditError
from devicefix.edits.gaps import inner_span, outer_span, require_editable
from devicefix.edits.unwrapping import statement_of
from devicefix.findings import Edit
from devicefix.source import Source

_LAST: Final = 998
"""Behind all that is appended to a receiver."""


def pin_if(source: Source, call: ast.Call, question: str) -> tuple[Edit, ...]:
    """``x.pin_memory()`` -> ``(x.pin_memory() if question else x)``.

    ``x = make().pin_memory()`` binds ``x`` first, in a statement of its own. The parentheses belong
    to all that is appended in the same round. Raises ``EditError`` where what is pinned has no
    name, or the call cannot be rewritten.
    """
    require_editable(source, call, question)
    assert isinstance(call.func, ast.Attribute)
    receiver, span = call.func.value, inner_span(source, call)
    length = span.end - span.start
    if _is_path(receiver):
        name = source.segment(receiver)
        begin = Edit(span.start, span.start, ranks.opening(length), "(")
    else:
        name = _bound(source, call)
        begin = _own_statement(source, receiver, name)
    return begin, Edit(span.end, span.end, ranks.closing(length), f" if {question} else {name})")


def pins_itself(source: Source, call: ast.Call) -> bool:
    """Whether a statement is nothing but ``x = x.pin_memory()``, or the call."""
    statement = source.parent(call)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else call
        return _is_path(receiver) and ast.unparse(target) == ast.unparse(receiver)
    return isinstance(statement, ast.Expr)


def _is_path(tree: ast.expr) -> bool:
    """``x``, ``self.batch.x``."""
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    return isinstance(tree, ast.Name)


def _bound(source: Source, call: ast.Call) -> str:
    """The name that a statement gives what ``call`` pins, or what a chain of methods makes of it:
    nothing behind the call reads it. Raises ``EditError`` where there is none."""
    top: ast.expr = call
    while (above := _in_chain(source, top)) is not None:
        top = above
    statement = source.parent(top)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Name) or len(getattr(statement, "targets", ())) != 1:
        raise EditError("assign the tensor to a name first")
    begins = source.span(top).start == outer_span(source, top).start
    if not begins or outer_span(source, call.func).start != source.span(top).start:
        raise EditError("assign the tensor to a name first")
    inside = set(ast.walk(call))
    rest = (node for node in ast.walk(top) if node not in inside)
    if any(isinstance(node, ast.Name) and node.id == target.id for node in rest):
        raise EditError(f"`{target.id}` is read later")
    return target.id


def _in_chain(source: Source, tree: ast.expr) -> ast.expr | None:
    """What is around ``tree`` and begins with it: ``tree.name``, ``tree(…)``, ``tree[…]``."""
    match source.parent(tree):
        case ast.Attribute() as above:
            return above
        case (ast.Call(func=begin) | ast.Subscript(value=begin)) as above if begin is tree:
            return above
    return None


def _own_statement(source: Source, receiver: ast.expr, name: str) -> Edit:
    """Ends the statement behind ``receiver``, and begins the next one."""
    place = place_of(source, statement_of(source, receiver))
    gap = "; " if place.inline else f"{source.newline}{place.indent}"
    span, end = source.span(receiver), outer_span(source, receiver).end
    return Edit(end, end, ranks.appended(span.end - span.start, _LAST), f"{gap}{name} = ({name}")
