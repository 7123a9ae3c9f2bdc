"""Assertions about the CPU: what they say of a tensor is the author's will.

A tensor that is asserted to be on the host stays there, and so does all that it meets.
"""

from __future__ import annotations

import ast

from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import Label
from devicefix.flow.scopes import block_of
from devicefix.flow.values import Const, Device, External, Residence, Tensor, Value, as_device
from devicefix.torch_api import LEGACY_CONSTRUCTORS

_SAME = (ast.Eq, ast.Is)
_OTHER = (ast.NotEq, ast.IsNot)
_HOST = Device(Label.HOST)
_HOST_TYPES = frozenset(name for name in LEGACY_CONSTRUCTORS if ".cuda." not in name) - {
    "torch.Tensor"
}
_EQUALS = frozenset({"assertEqual", "assertEquals", "assertIs"})


def assume(frame: Frame, test: ast.expr, holds: bool = True) -> None:
    """``assert test``, of which every part has to hold; or ``if test: raise``, and none may."""
    match test:
        case ast.BoolOp(op=op, values=parts) if isinstance(op, ast.And if holds else ast.Or):
            for part in parts:
                assume(frame, part, holds)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            assume(frame, operand, not holds)
        case ast.Compare(ops=ops) if all(isinstance(op, _SAME if holds else _OTHER) for op in ops):
            _agree(frame, [_asked(frame, e) for e in (test.left, *test.comparators)])
        case ast.Call(func=ast.Name(id="isinstance"), args=[asked, kinds]) if holds:
            value = frame.evaluate(asked)
            if isinstance(value, Tensor) and _is_host_type(frame, kinds):
                _stays(frame, value.nodes)
        case _ if not holds:
            _agree(frame, [_asked(frame, test), Const(False)])


def assume_no_raise(frame: Frame, tree: ast.If) -> None:
    """``if x.is_cuda: raise`` says the same as ``assert not x.is_cuda``."""
    otherwise = tree.orelse
    if not otherwise and isinstance(tree.body[-1], ast.Return):
        block = block_of(frame.analysis.parents.get(tree), tree)
        otherwise = block[block.index(tree) + 1 :][:1]
    if isinstance(tree.body[-1], ast.Raise):
        assume(frame, tree.test, holds=False)
    elif otherwise and isinstance(otherwise[-1], ast.Raise):
        assume(frame, tree.test)


def _is_host_type(frame: Frame, kinds: ast.expr) -> bool:
    """``torch.FloatTensor``: tensors on a GPU are of another type (``torch.Tensor`` is any)."""
    parts = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    values = [frame.evaluate(part) for part in parts]
    return all(isinstance(value, External) and value.name in _HOST_TYPES for value in values)


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
        case ast.Call(func=ast.Attribute(attr="type", value=inner), args=[], keywords=[]):
            pass
        case _:
            return frame.evaluate(tree)
    device = _asked(frame, inner)
    if isinstance(device, Tensor):
        return Device(None, device.nodes)
    return device if isinstance(device, Device) else frame.evaluate(tree)


def _agree(frame: Frame, values: list[Value]) -> None:
    """All of them are the same: where one says the host, the others' tensors are there."""
    devices = [device for v in values if (device := _as_device(v)) is not None]
    together = sorted(node for device in devices for node in device.nodes)
    for node in together[1:] if len(devices) == len(values) else ():
        frame.graph.tie(together[0], node)
    if any(device.label is Label.HOST for device in devices):
        for device in devices:
            _stays(frame, device.nodes)
    if Const(False) in values:
        for value in values:
            if isinstance(value, Residence):
                _stays(frame, value.nodes)


def _as_device(value: Value) -> Device | None:
    """Numbers name no device here; the name of a type does."""
    if isinstance(value, Const) and value.value in _HOST_TYPES:
        return _HOST
    number = isinstance(value, Const) and not isinstance(value.value, str)
    return None if number else as_device(value)


def _stays(frame: Frame, nodes: frozenset[int]) -> None:
    for node in nodes:
        frame.graph.fix(node, Label.HOST)
        key = frame.graph.key(node)
        if isinstance(key, tuple) and key[0] == "root":
            # the function says itself where what it is given lives
            frame.analysis.parameters[key[1:]].moved = True
