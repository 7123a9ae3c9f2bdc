"""Assertions about the CPU: what they say of a tensor is the author's will.

A tensor that is asserted to be on the host stays there, and so does all that it meets.
"""

from __future__ import annotations

import ast

from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import Label
from devicefix.flow.values import Const, Device, Residence, Value, as_device

_EQUALS = frozenset({"assertEqual", "assertEquals", "assertIs"})


def assume(frame: Frame, test: ast.expr) -> None:
    """``assert test``, of which every part has to hold."""
    match test:
        case ast.BoolOp(op=ast.And(), values=parts):
            for part in parts:
                assume(frame, part)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            _agree(frame, [_asked(frame, operand), Const(False)])
        case ast.Compare(ops=ops) if all(isinstance(op, (ast.Eq, ast.Is)) for op in ops):
            _agree(frame, [_asked(frame, e) for e in (test.left, *test.comparators)])


def hear_method(frame: Frame, name: str, args: Arguments) -> None:
    """``self.assertEqual(a, b)`` and its kin (docs.python.org/3/library/unittest.html)."""
    trees = [expr for expr, _ in args.positional if expr is not None]
    if name in _EQUALS and len(trees) > 1:
        _agree(frame, [_asked(frame, tree) for tree in trees[:2]])
    elif name == "assertFalse" and trees:
        _agree(frame, [_asked(frame, trees[0]), Const(False)])
    elif name == "assertTrue" and trees:
        assume(frame, trees[0])


def _asked(frame: Frame, tree: ast.expr) -> Value:
    """In ``x.device.type`` and ``str(x.device)`` it is the device that is asked."""
    match tree:
        case ast.Attribute(attr="type", value=inner):
            pass
        case ast.Call(func=ast.Name(id="str"), args=[inner], keywords=[]):
            pass
        case _:
            return frame.evaluate(tree)
    device = _asked(frame, inner)
    return device if isinstance(device, Device) else frame.evaluate(tree)


def _agree(frame: Frame, values: list[Value]) -> None:
    """All of them are the same: where one says the host, the others' tensors are there."""
    devices = [device for v in values if (device := _as_device(v)) is not None]
    if any(device.label is Label.HOST for device in devices):
        for device in devices:
            _stays(frame, device.nodes)
    if Const(False) in values:
        for value in values:
            if isinstance(value, Residence):
                _stays(frame, value.nodes)


def _as_device(value: Value) -> Device | None:
    """Numbers name no device here."""
    number = isinstance(value, Const) and not isinstance(value.value, str)
    return None if number else as_device(value)


def _stays(frame: Frame, nodes: frozenset[int]) -> None:
    for node in nodes:
        frame.graph.fix(node, Label.HOST)
        key = frame.graph.key(node)
        if isinstance(key, tuple) and key[0] == "root":
            # the function says itself where what it is given lives
            frame.analysis.parameters[key[1:]].moved = True
