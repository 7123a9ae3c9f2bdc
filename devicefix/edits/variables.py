"""``Variable(x)`` gives way to what it is today; statements that do nothing else go."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from devicefix.edits.calls import remove_method
from devicefix.edits.copying import copy_of
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import replace_expression
from devicefix.edits.keywords import add_keyword
from devicefix.edits.unwrapping import unwrap, without_pairs, without_statement
from devicefix.findings import Edit
from devicefix.source import Source

if TYPE_CHECKING:
    from devicefix.flow import Wrapping

Unwrapped = tuple[ast.AST, tuple[Edit, ...] | EditError]


def unwrap_all(source: Source, wrappings: Sequence[Wrapping]) -> Iterator[Unwrapped]:
    """The edits for each call, or why there are none.

    ``x = Variable(x)`` goes with its calls, and so does ``y = Variable(x)``, where ``x`` may stand
    for ``y``.
    """
    left = {w.whole: w for w in wrappings if w.data is not None}
    for statement in _assignments(source, left):
        pairs = _pairs(statement)
        gone = [i for i, pair in enumerate(pairs) if _is_idle(*pair, left)]
        if not gone:
            continue
        try:
            if len(gone) == len(pairs):
                edits: tuple[Edit, ...] = (without_statement(source, statement),)
            else:
                edits = without_pairs(source, statement, gone)
            edits += tuple(e for i in gone for e in _with_first(source, left, pairs[i][1]))
        except EditError:
            continue  # `x = x` is what is left
        for i in gone:
            left = {call: w for call, w in left.items() if call is not pairs[i][1]}
        yield statement, edits
    for wrapping in left.values():
        try:
            yield wrapping.call, _edits(source, wrapping)
        except EditError as error:
            yield wrapping.call, error


def _edits(source: Source, wrapping: Wrapping) -> tuple[Edit, ...]:
    call, data = wrapping.whole, wrapping.data
    assert data is not None
    if wrapping.learns is None:
        suffix = "" if wrapping.constant else ".detach()"
        with contextlib.suppress(EditError):
            if not suffix and (copied := copy_of(source, call, data)):
                return copied
        return (*unwrap(source, call, data, suffix), *_zeros(source, data))
    asked = source.segment(wrapping.learns)
    if wrapping.factory is not None:
        keyword = add_keyword(source, wrapping.factory, "requires_grad", asked)
        return (*unwrap(source, call, data), keyword)
    text = f".requires_grad_({'' if asked == 'True' else asked})"
    if not wrapping.fresh:
        return unwrap(source, call, data, f".detach(){text}")
    return (*_unassigned(source, call, data), *unwrap(source, call, data, text))


def _zeros(source: Source, data: ast.expr) -> tuple[Edit, ...]:
    """``x.new(2, 3).zero_()`` -> ``x.new_zeros(2, 3)``; several arguments are sizes."""
    match data:
        case ast.Call(
            func=ast.Attribute(
                attr="zero_",
                value=ast.Call(
                    func=ast.Attribute(attr="new") as new, args=[_, _, *_], keywords=[]
                ) as made,
            ),
            args=[],
            keywords=[],
        ) if not any(isinstance(a, ast.Starred) for a in made.args):
            end = source.span(new).end
            with contextlib.suppress(EditError):
                return Edit(end, end, 0, "_zeros"), remove_method(source, data)
    return ()


def _unassigned(source: Source, call: ast.Call, data: ast.expr) -> tuple[Edit, ...]:
    """``x = `` of ``x = Variable(x, requires_grad=True)``: that changes ``x`` itself."""
    match source.parent(call), data:
        case ast.Assign(targets=[ast.Name(id=name)]) as statement, ast.Name(id=same):
            start, end = source.span(statement).start, source.span(call).start
            plain = set(source.text[start:end]).isdisjoint("#(\\")
            if name == same and plain and source.notebook is None:
                return (Edit(start, end, 0, ""),)
    return ()


def _with_first(
    source: Source, wrapped: dict[ast.Call, Wrapping], value: ast.expr
) -> Iterator[Edit]:
    """``x`` in the place of the reads of ``y``."""
    found = wrapped.get(value) if isinstance(value, ast.Call) else None
    if found is not None and isinstance(found.data, ast.Name):
        for read in found.reads:
            yield replace_expression(source, read, found.data.id)


def _assignments(source: Source, wrapped: dict[ast.Call, Wrapping]) -> list[ast.Assign]:
    found: dict[ast.Assign, None] = {}
    for call in wrapped:
        parent = source.parent(call)
        if isinstance(parent, ast.Tuple):
            parent = source.parent(parent)
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            found[parent] = None
    return list(found)


def _pairs(statement: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def _is_idle(target: ast.expr, value: ast.expr, wrapped: dict[ast.Call, Wrapping]) -> bool:
    """``x`` beside ``Variable(x)``, where that is ``x`` itself."""
    found = wrapped.get(value) if isinstance(value, ast.Call) else None
    if found is None or found.learns is not None or not found.constant:
        return False
    if found.reads:
        return True
    plain = isinstance(found.data, (ast.Name, ast.Attribute))
    return plain and found.data is not None and ast.unparse(found.data) == ast.unparse(target)
