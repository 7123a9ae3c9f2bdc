"""Names that the program itself brings to the device as soon as they are bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devicefix.flow.frame import Frame
from devicefix.flow.graph import Label
from devicefix.flow.scopes import block_of
from devicefix.flow.values import as_device
from devicefix.source.program import WHOLE


def is_brought(frame: Frame, statement: ast.stmt, name: str) -> bool:
    """Whether ``name = name.to(device)`` is what comes next where ``statement`` has bound it.

    Only moves of other names stand between. Nothing else sees what was bound: it may be tensors of
    several places, and is no reason to write the same once more.
    """
    for following in _following(frame, statement):
        moves = list(_moves(following))
        if not moves:
            return False
        if any(target == name and _leads_there(frame, call) for target, call in moves):
            return True
    return False


def _following(frame: Frame, statement: ast.stmt) -> list[ast.stmt]:
    """What runs behind ``statement``; in a loop that is its body."""
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return statement.body
    parent = frame.analysis.parents.get(statement)
    if isinstance(parent, ast.Module):
        frame.file.note(WHOLE)  # it may be any other statement of the file
    block = block_of(parent, statement)
    return block[block.index(statement) + 1 :] if block else []


def _moves(statement: ast.stmt) -> Iterator[tuple[str, ast.Call]]:
    """Names and their moves: ``x = x.to(device)``, ``x, y = x.to(device), y.to(device)``."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target, value = statement.targets[0], statement.value
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        if len(target.elts) != len(value.elts):
            return
        pairs = list(zip(target.elts, value.elts, strict=True))
    found = [_move(name, call) for name, call in pairs]
    yield from (move for move in found if move is not None and None not in found)


def _move(target: ast.expr, call: ast.expr) -> tuple[str, ast.Call] | None:
    function = call.func if isinstance(call, ast.Call) else None
    if not (isinstance(function, ast.Attribute) and function.attr in ("to", "cuda")):
        return None
    moved = function.value
    if not (isinstance(target, ast.Name) and isinstance(moved, ast.Name)):
        return None
    assert isinstance(call, ast.Call)
    return (target.id, call) if target.id == moved.id else None


def _leads_there(frame: Frame, call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "cuda":
        return True
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "device")]
    device = as_device(frame.evaluate(given[0])) if given else None
    return device is not None and device.label is Label.TARGET
