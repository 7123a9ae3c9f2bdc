"""``copy.deepcopy(module)``: another module, with parameters of its own.

It lives where the original is at that moment; what moves the original later does not move it.
"""

from __future__ import annotations

import ast

from devicefix.flow.construction import is_unfinished, whereabouts
from devicefix.flow.descriptors import defines
from devicefix.flow.escapes import MAX_DEPTH, objects_in
from devicefix.flow.frame import Frame
from devicefix.flow.unfollowed import let_go
from devicefix.flow.values import PLAIN, Instance, ObjectRecord, Tensor, Value

_DECIDE = frozenset({
    "__getnewargs__", "__getnewargs_ex__", "__getstate__", "__reduce__", "__reduce_ex__",
    "__setstate__",
})  # fmt: skip
"""Methods that decide what a copy holds. https://docs.python.org/3/library/copy.html"""
MAX_COPIES = 2
"""Copies of copies that are told apart."""


def copied_by_class(frame: Frame, tree: ast.expr, value: Value, deep: bool) -> Value | None:
    """What the class of an object makes of a copy; None where a copy holds what the object does.

    The one method whose result is the copy is called; the others are not followed.
    """
    own = "__deepcopy__" if deep else "__copy__"
    if defines(value, own):
        return frame.call_method(tree, value, own, *([PLAIN] if deep else []))
    held = objects_in(value, MAX_DEPTH if deep else 0)
    deciding = {own, *_DECIDE} if deep else _DECIDE
    for record in held:
        this = Instance(frozenset((record,)))
        if any(defines(this, method) for method in deciding):
            return let_go(frame, tree, value, "its class defines how it is copied")
    return None


def copied(frame: Frame, tree: ast.expr, value: Value) -> Value:
    """The copy of ``value``, where that is a module; else ``value`` itself."""
    if not isinstance(value, Instance) or len(value.modules) != len(value.records):
        return value
    if any(record.generic for record in value.records):
        return value  # it stands for all of its class, copies included
    return Instance(frozenset(_copy(frame, tree, r) for r in value.records))


def _copy(frame: Frame, tree: ast.expr, original: ObjectRecord) -> ObjectRecord:
    record = _duplicate(frame, tree, original, {})
    if record is original:
        return original
    if not record.root.moved_to and not is_unfinished(frame, original):
        frame.graph.tie(record.node, whereabouts(frame, original))
    return record


def _duplicate(
    frame: Frame, tree: ast.expr, original: ObjectRecord, made: dict[ObjectRecord, ObjectRecord]
) -> ObjectRecord:
    if original in made:
        return made[original]
    if _is_copied(original, tree):
        return original
    key = ("copy", frame.context, tree, original)
    record, new = frame.analysis.object_record(key, tree)
    made[original] = record
    if new:
        record.node = frame.graph.node(("object", record))
        frame.analysis.modules.append(record)
        frame.analysis.changed = True
    _describe(frame, record, original)
    record.occurrence = frame.occurrence(tree)
    record.children = [_of(frame, tree, record, original, c, made) for c in original.children]
    for name, value in original.attributes.items():
        record.attributes.setdefault(name, _of(frame, tree, record, original, value, made))
    return record


def _is_copied(record: ObjectRecord, tree: ast.expr) -> bool:
    """It was copied here before, in a loop; copies of copies of copies tell nothing new."""
    length, current = 0, record
    while current.origin is not None:
        if current.tree is tree:
            return True
        length, current = length + 1, current.origin
    return length >= MAX_COPIES


def _describe(frame: Frame, record: ObjectRecord, original: ObjectRecord) -> None:
    record.origin, record.frame, record.context = original, frame, frame.context
    record.cls, record.layer, record.module = original.cls, original.layer, True
    record.stateful, record.weights = original.stateful, original.weights
    record.dtype, record.cast, record.scatters = original.dtype, original.cast, original.scatters
    record.framework, record.hardcoded = original.framework, original.hardcoded
    record.tensors, record.registered = original.tensors, original.registered


def _of(
    frame: Frame,
    tree: ast.expr,
    record: ObjectRecord,
    original: ObjectRecord,
    value: Value,
    made: dict[ObjectRecord, ObjectRecord],
) -> Value:
    """An attribute: parameters and buffers are those of the copy."""
    if isinstance(value, Tensor) and value.nodes == {original.node}:
        return value.at(record.node)
    return _inside(frame, tree, record, value, made)


def _inside(
    frame: Frame,
    tree: ast.expr,
    record: ObjectRecord,
    value: Value,
    made: dict[ObjectRecord, ObjectRecord],
) -> Value:
    """A layer of the module is copied with it."""
    if not isinstance(value, Instance) or len(value.modules) != len(value.records):
        return value
    parts = [_duplicate(frame, tree, part, made) for part in value.records]
    for part in parts:
        frame.adopt(record, part)
    return Instance(frozenset(parts))
