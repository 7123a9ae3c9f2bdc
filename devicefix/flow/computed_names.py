"""Attributes whose names are computed: ``setattr(self, f"conv{i}", layer)``.

Such a name is kept with a star for all that is not known of it, and stands for each that fits.
"""

from __future__ import annotations

import ast
import re
from fnmatch import fnmatchcase

from devicefix.flow.dicts import ANY_NAME, note_pattern, put_attribute
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import join, join_all, parts_in, tensors_in
from devicefix.flow.operands import Operand
from devicefix.flow.queries.meaning import meaning
from devicefix.flow.values import Const, Instance, ObjectRecord, Plain, Tensor, Value

_PERCENT = re.compile(r"%[-+ #0-9.]*[a-zA-Z]")
_BRACES = re.compile(r"\{[^{}]*\}")


def set_attribute(frame: Frame, args: Arguments, *, registers: bool = True) -> None:
    """``setattr(x, name, value)``; ``registers``: a module takes up parameters and modules."""
    holder, name, value = args.value(0), args.get(1, "name"), args.value(2, "value")
    if not isinstance(holder, Instance) or name is None or value is None:
        return
    frame.flush()
    for record in holder.records:
        key = key_of(frame, name)
        note_pattern(record, key)
        if registers:
            frame.store(record, key, value)
        else:
            put_attribute(frame, record, key, value)


def key_of(frame: Frame, name: Operand) -> str:
    """The name of an attribute as far as it is known."""
    tree, value = name
    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value
    return _pattern(meaning(frame.file.source, tree)) if tree is not None else ANY_NAME


def _pattern(tree: ast.expr) -> str:
    match tree:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(map(_pattern, parts))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _pattern(left) + _pattern(right)
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod()):
            return _PERCENT.sub(ANY_NAME, text)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            return _BRACES.sub(ANY_NAME, text)
    return ANY_NAME


def computed(record: ObjectRecord, name: str) -> Value | None:
    """What lives somewhere and was stored under a name that may be this one."""
    found = [record.attributes[key] for key in record.patterns if fnmatchcase(name, key)]
    living = [value for value in found if _lives(value)]
    return join_all(living) if living else None


def with_computed(record: ObjectRecord, name: str, value: Value) -> Value:
    """``value``, or what has taken its place under a name that was computed.

    A module is kept apart from those of other names: a name of its own says which it is.
    """
    if not record.patterns or not isinstance(value, (Const, Plain, Tensor)):
        return value
    more = computed(record, name)
    return join(value, more) if more is not None else value


def _lives(value: Value) -> bool:
    parts = (value, *parts_in(value))
    modules = any(isinstance(part, Instance) and part.modules for part in parts)
    return modules or any(tensor.nodes for tensor in tensors_in(value))
