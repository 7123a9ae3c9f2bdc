"""What is made on the CPU, and moved at once, is made where it has to be."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from devicefix.edits.blocks import place_of
from devicefix.edits.calls import remove_method, replace_method
from devicefix.edits.constructors import (
    as_factory,
    constructor_of,
    dtype_of,
    filling,
    holds_data,
    is_constructor,
)
from devicefix.edits.errors import EditError
from devicefix.edits.keywords import add_keyword
from devicefix.edits.statements import remove_statement
from devicefix.findings import Edit

if TYPE_CHECKING:
    from devicefix.flow import FileFacts
    from devicefix.source import Source


def moved(
    source: Source, facts: FileFacts, call: ast.Call, device: str, options: Sequence[str] = ()
) -> tuple[Edit, ...]:
    """``x.cuda()`` -> ``x.to(device)``; ``torch.zeros(3).cuda()`` -> ``torch.zeros(3, device=…)``.

    Raises ``EditError`` where the call cannot be rewritten.
    """
    try:
        return _made_there(source, facts, call, device)
    except EditError:
        return (replace_method(source, call, f"to({', '.join([device, *options])})"),)


def _made_there(source: Source, facts: FileFacts, call: ast.Call, device: str) -> tuple[Edit, ...]:
    """The receiver makes its tensor on the device. Raises ``EditError`` where it cannot."""
    made = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(made, ast.Call):
        raise EditError("nothing is created here")
    place = _with_device(source, facts, made, device)
    return (*place, remove_method(source, call))


def _with_device(source: Source, facts: FileFacts, made: ast.Call, device: str) -> tuple[Edit, ...]:
    """``device=`` for a factory that makes the same tensor on any device."""
    if made in facts.exact:
        return (add_keyword(source, made, "device", device),)
    first = constructor_of(facts, made)
    if first is None or (made is not first and made is not filling(source, first)):
        raise EditError("it may be another tensor there")
    return constructed(source, facts, first, dtype_of(facts, first), device)


def constructed(
    source: Source, facts: FileFacts, call: ast.Call, dtype: str, device: str
) -> tuple[Edit, ...]:
    """``torch.FloatTensor(2, 3)`` -> ``torch.empty(2, 3, device=device)``; no copies of data.

    Raises ``EditError`` where it is not known what it is given.
    """
    if holds_data(source, facts, call):
        raise EditError("data is copied")
    return (*as_factory(source, facts, call, dtype), add_keyword(source, call, "device", device))


def made_before(
    source: Source, facts: FileFacts, statement: ast.stmt, moves: Sequence[ast.Call], device: str
) -> tuple[Edit, ...]:
    """The statements above ``statement`` make on the device what it does nothing but move.

    ``h = torch.zeros(3)`` with ``h = h.cuda()`` below it is ``h = torch.zeros(3, device=device)``.
    Raises ``EditError`` where that is not all that they do.
    """
    made = _just_made(source, facts, statement)
    body = statement.body if isinstance(statement, ast.If) else [statement]
    pairs = [pair for inner in body for pair in _rebound(inner)]
    names = [name for name, _ in pairs]
    once = len(set(names)) == len(names) and {call for _, call in pairs} == set(moves)
    if not once or not set(names) <= made.keys():
        raise EditError("something else is moved as well")
    if _reads(ast.parse(device)) & made.keys() or _has_comment(source, statement):
        raise EditError("the device is unknown there")
    told = [edit for name in names for edit in _with_device(source, facts, made[name], device)]
    return (*told, remove_statement(source, statement))


def _just_made(source: Source, facts: FileFacts, statement: ast.stmt) -> dict[str, ast.Call]:
    """What the statements above make, by name, as long as they do nothing else."""
    place, made = place_of(source, statement), dict[str, ast.Call]()
    for above in reversed(place.block[: place.index]):
        match above:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                first = constructor_of(facts, call)
                exact = call in facts.exact or (first is not None and is_constructor(facts, first))
                if exact and name not in made and not _reads(call) & {name, *made}:
                    made[name] = call
                    continue
        break
    return made


def _rebound(statement: ast.stmt) -> Iterator[tuple[str, ast.expr | None]]:
    """What ``x = x.cuda()`` and ``x, y = x.cuda(), y.cuda()`` bind, and to which call."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            pairs = list(itertools.zip_longest(targets, values))
        case ast.Assign(targets=[target], value=value):
            pairs = [(target, value)]
        case _:
            pairs = [(None, None)]
    for target, value in pairs:
        match target, value:
            case ast.Name(id=name), ast.Call(func=ast.Attribute(value=ast.Name(id=held))):
                yield name, value if name == held else None
            case _:
                yield "", None


def _reads(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _has_comment(source: Source, statement: ast.stmt) -> bool:
    span = source.span(statement)
    return any(span.start <= comment.start < span.end for comment in source.comments.values())
