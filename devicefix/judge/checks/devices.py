"""Does every inserted expression that names a device name one, in each context, at that moment?

``self.device`` where no class has it, ``cam.data_device`` beside the device that computes, a string
where the code asks for ``.type``: none of these is the device of the program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from devicefix.flow.values import Const, Device, Opaque, Plain, Value
from devicefix.judge.comparison import Comparison, Move, Objection

NAME: Final = "device"


def objections(comparison: Comparison) -> Iterator[Objection]:
    """For each place that the edits name, and each ``.type`` that they ask of a device."""
    for move in comparison.moves:
        reason = _why_no_device(comparison, move)
        if reason:
            yield comparison.objection(NAME, move.path, move.device, reason, move.call)
    for path in comparison.maps:
        for tree in comparison.source(path).of_type(ast.Attribute):
            if tree.attr == "type" and comparison.is_new(path, tree):
                yield from _typed(comparison, path, tree)


def _why_no_device(comparison: Comparison, move: Move) -> str:
    """Why the device of ``move`` is none; empty where it is one."""
    text = ast.unparse(move.device)
    values = comparison.after.values(move.device)
    if not values:
        return ""  # nothing reaches it: the check of uses speaks about that
    if all(is_device(comparison, value, move.device) for value in values):
        return ""
    return f"`{text}` is not known to be a device there"


def is_device(comparison: Comparison, value: Value, tree: ast.expr) -> bool:
    """Whether ``value`` says where something is."""
    match value:
        case Device():
            return value.label is not None or bool(value.nodes)
        case Const():
            return isinstance(value.value, str)
        case Plain():
            return (
                value.choice and ast.unparse(tree) in comparison.after.analysis.seen.device_options
            )
        case Opaque():
            return not value.part
    return False


def _typed(comparison: Comparison, path: str, tree: ast.Attribute) -> Iterator[Objection]:
    """``device.type``: a string has none."""
    asked = comparison.after.values(tree.value)
    if any(not (isinstance(v, Device) and v.typed) for v in asked if not _is_torch_name(v)):
        text = ast.unparse(tree.value)
        reason = f"`{text}` may be a string, which has no `.type`"
        yield comparison.objection(NAME, path, tree, reason)


def _is_torch_name(value: Value) -> bool:
    return type(value).__name__ == "External"
