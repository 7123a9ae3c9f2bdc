"""Names that the program itself brings to the device before anything else reads them."""

from __future__ import annotations

import ast

from devicefix.flow.frame import Frame
from devicefix.flow.graph import Label
from devicefix.flow.ir import Bodies, Body, Kind, Op
from devicefix.flow.queries.reaching import loads_of, users_of
from devicefix.flow.values import as_device
from devicefix.source import Source
from devicefix.source.program import WHOLE


def is_brought(frame: Frame, target: ast.Name) -> bool:
    """Whether ``name = name.to(device)`` is all that reads what is bound to a name at ``target``.

    Nothing else sees what was bound: it may be tensors of several places, and is no reason to write
    the same once more.
    """
    source = frame.file.text
    assert source is not None
    known = source.once(_Moves)
    if isinstance(known.body(target).scope, ast.Module):
        frame.file.note(WHOLE)  # it may be any other statement of the file
    calls = known.of(target)
    return bool(calls) and all(_leads_there(frame, call) for call in calls)


class _Moves:
    """What reads the definitions of a file, where that is nothing but moves."""

    def __init__(self, source: Source) -> None:
        self._bodies = source.once(Bodies)
        self._found: dict[ast.Name, tuple[ast.Call, ...]] = {}

    def body(self, target: ast.Name) -> Body:
        return self._bodies.around(target)

    def of(self, target: ast.Name) -> tuple[ast.Call, ...]:
        """The calls that move what is bound at ``target`` and give it the same name; none where
        something else reads it."""
        if target not in self._found:
            body = self.body(target)
            bound = [op for op in body.of(target) if op.kind is Kind.STORE]
            own = bool(bound) and bound[0].name not in body.shared and not body.dynamic
            loads = [load for op in bound for load in loads_of(body, op)] if own else []
            moves = [_move(body, load) for load in loads]
            found = tuple(move for move in moves if move is not None)
            self._found[target] = found if len(found) == len(moves) else ()
        return self._found[target]


def _move(body: Body, load: Op) -> ast.Call | None:
    """``x.to(device)`` of ``x = x.to(device)``."""
    name, current = load.name, load
    for kind in (Kind.ATTRIBUTE, Kind.CALL, Kind.STORE):
        users = users_of(body, current)
        if len(users) != 1 or users[0].kind is not kind or users[0].operands[0] is not current:
            return None
        current = users[0]
        if kind is Kind.ATTRIBUTE and current.name not in ("to", "cuda"):
            return None
    call = current.operands[0].node
    return call if isinstance(call, ast.Call) and current.name == name else None


def _leads_there(frame: Frame, call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "cuda":
        return True
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "device")]
    device = as_device(frame.evaluate(given[0])) if given else None
    return device is not None and device.label is Label.TARGET
