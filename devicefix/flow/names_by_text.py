"""Names that are read by their text: ``vars(config)["scale"]``, ``sys.modules["config"]``."""

from __future__ import annotations

import ast

from devicefix.flow.escapes import hand_over, note_names
from devicefix.flow.files import find_module
from devicefix.flow.frame import Frame
from devicefix.flow.iteration import new_dict
from devicefix.flow.values import (
    OWN_NAME,
    PLAIN,
    Class,
    Const,
    External,
    File,
    Plain,
    Unknown,
    Value,
)


def names_of(frame: Frame, tree: ast.expr, holder: Value) -> Value:
    """``vars(holder)`` of a class or of a module; what it gives of anything else is not known."""
    match holder:
        case Class(record=record):
            held: dict[object, Value] = dict(record.attributes.items())
            return new_dict(frame, tree, held)
        case File(record=record) if record.frame is not None:
            note_names(frame, tree, record.frame)
            return Unknown(OWN_NAME)
        case External() | Plain() | Const():
            return PLAIN
    reason = "computed names"
    hand_over(frame, tree, holder, reason)
    return Unknown(reason)


def module_called(frame: Frame, tree: ast.Subscript, name: Value) -> Value:
    """``sys.modules[name]``: another file of the program, a library, or this file itself."""
    if isinstance(name, Const) and isinstance(name.value, str):
        return find_module(frame, frame.file.source.path, name.value) or External(name.value)
    note_names(frame, tree, frame.module)
    return Unknown(OWN_NAME)
