"""What is handed to code that we cannot see: it may do anything with that.

Tensors and modules *meet* what is not known, wherever in the value they are. Functions are called
there, nobody knows when and with what: each is entered once all of the program has been evaluated,
so that what it uses of the scopes around it is used beside something unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devicefix.flow.analysis import Analysis, Escape
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import alternatives, options, parts_in, tensors_in
from devicefix.flow.values import (
    Bound,
    Class,
    Either,
    Function,
    Instance,
    ObjectRecord,
    Opaque,
    Partial,
    Unknown,
    Value,
)

MAX_DEPTH = 3
"""Objects in attributes of objects that are looked into."""
_CALLED = (Bound, Class, Function, Partial)


def hand_over(frame: Frame, tree: ast.expr, value: Value, reason: str) -> None:
    """Code that was not seen gets ``value`` at ``tree``."""
    for node in sorted(reached(value)):
        frame.meet(node, tree, reason)
    note_escape(frame, tree, value, Unknown(reason))


def hand_over_all(frame: Frame, tree: ast.expr, args: Arguments, reason: str) -> None:
    """The same for all arguments of a call."""
    for _, value in args.all():
        hand_over(frame, tree, value, reason)


def reached(value: Value, depth: int = MAX_DEPTH) -> set[int]:
    """The nodes of tensors and modules in ``value``, in attributes of objects, too."""
    found = {node for tensor in tensors_in(value) for node in tensor.nodes}
    for part in parts_in(value):
        for record in part.records if isinstance(part, Instance) else ():
            found |= _of_object(record, depth)
    return found


def _of_object(record: ObjectRecord, depth: int) -> set[int]:
    found = {record.node} if record.module and record.node >= 0 else set()
    for held in tuple(record.attributes.values()) if depth else ():
        found |= reached(held, depth - 1)
    return found


def note_escape(frame: Frame, tree: ast.expr, value: Value, given: Value) -> None:
    """Remember the functions in ``value``: at the end they are called with ``given``."""
    for callee in callables_in(value):
        function = _function(callee)
        if function is not None:
            frame.analysis.escaped.add(function.tree)
            key = (function.tree, function.frame.identity, given)
            escape = Escape(frame, tree, callee, given)
            frame.analysis.escapes.setdefault(key, escape)


def callables_in(value: Value) -> Iterator[Value]:
    """The functions and classes of the program in ``value``."""
    for part in parts_in(value):
        for kind in alternatives(part):
            yield from (option for option in options(kind) if isinstance(option, _CALLED))


def _function(callee: Value) -> Function | None:
    match callee:
        case Function():
            return callee
        case Bound(function=function):
            return function
        case Class(record=record):
            init = record.lookup("__init__")
            return init if isinstance(init, Function) else None
        case Partial(function=function):
            return _function(function)
        case _:
            return None


def enter_escaped(analysis: Analysis) -> None:
    """Call what unseen code was given, as that may; what comes to light thereby, too."""
    done: set[object] = set()
    while left := [key for key in analysis.escapes if key not in done]:
        for key in left:
            done.add(key)
            escape = analysis.escapes[key]
            args = Arguments(rest=(0, escape.given))
            escape.frame.call(escape.tree, escape.callee, args)


def near_of(args: Arguments) -> frozenset[int]:
    """The nodes of the tensors among the arguments of code that was not analysed."""
    return frozenset[int]().union(*(_near(value) for _, value in args.all()))


def _near(value: Value) -> Iterable[int]:
    if isinstance(value, Unknown) and not isinstance(value, Either):
        return value.near
    return {node for t in tensors_in(value) for node in (t.nodes or t.near)}
