"""Objects and classes whose methods are not those that their class statement shows.

What such an object holds, and what its methods are given, is handed over: nothing of it is moved.
"""

from __future__ import annotations

import ast
from fnmatch import fnmatchcase

from devicefix.flow.escapes import hand_over, hand_over_all, note_escape, objects_in
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import is_update, join
from devicefix.flow.values import (
    Bound,
    Class,
    ClassRecord,
    External,
    Function,
    Instance,
    ObjectRecord,
    OneOf,
    Partial,
    Unknown,
    Value,
)
from devicefix.torch_api import canonical

_CALLABLE = (Bound, Class, Function, OneOf, Partial, Unknown)


def let_go(frame: Frame, tree: ast.expr, value: Value, reason: str) -> Unknown:
    """Nobody knows what becomes of ``value``, and what its methods are called with."""
    hand_over(frame, tree, value, reason)
    for record in sorted(objects_in(value), key=lambda record: record.serial):
        this = Instance(frozenset((record,)))
        for cls in record.cls.ancestry() if record.cls is not None else ():
            for name, found in cls.attributes.items():
                if isinstance(found, Function):
                    note_escape(frame, tree, Bound(this, name, found), None)
    return Unknown(reason)


def unfollowed(frame: Frame, record: ObjectRecord, method: Value | None) -> str:
    """Why nobody knows what a call of an object runs; empty where it is ``method``."""
    if record.unfollowed or isinstance(method, Unknown):
        return record.unfollowed or getattr(method, "reason", "")
    exchanged = frame.analysis.exchanged if record.module else {}
    found = exchanged.get(f"{record.layer}.forward") or exchanged.get("torch.nn.Module.__call__")
    return found.reason if found is not None else ""


def call_of_unfollowed(
    frame: Frame, tree: ast.expr, record: ObjectRecord, reason: str, args: Arguments
) -> Unknown:
    """What a call of an object, or of its method, gives that nobody can follow."""
    hand_over_all(frame, tree, args, reason)
    return let_go(frame, tree, Instance(frozenset((record,))), reason)


def exchange_class(frame: Frame, tree: ast.expr, holder: Instance) -> None:
    """``x.__class__ = Other``: from then on it has other methods."""
    for record in holder.records:
        if not record.unfollowed:
            record.unfollowed = "the class of an object is replaced"
            frame.analysis.changed = True
    let_go(frame, tree, holder, "the class of an object is replaced")


def assign_to_class(
    frame: Frame, tree: ast.expr, cls: ClassRecord, name: str, value: Value
) -> None:
    """``Cls.name = value``: methods, instances and subclasses read it, in any order."""
    if (
        name in cls.exchanged
        or isinstance(cls.lookup(name), Function)
        or isinstance(value, Function)
    ):
        _change_method(frame, tree, cls, name, value)
        return
    old = cls.attributes.get(name)
    cls.assigned[name] = frame.bounded(join(cls.assigned.get(name), value))
    new = frame.bounded(join(old, value))
    if is_update(old, new):
        cls.attributes[name] = new
        frame.analysis.changed |= new != old


def _change_method(frame: Frame, tree: ast.expr, cls: ClassRecord, name: str, value: Value) -> None:
    """``Cls.name = function``: a method more; one that takes the place of another is not followed,
    for who has called which of them nobody knows."""
    old = cls.lookup(name)
    if value == old:
        return
    if old is None and name not in cls.exchanged:
        cls.assigned[name] = cls.attributes[name] = value
        frame.analysis.changed = True
        return
    reason = f"the method {name!r} of {cls.name} is replaced at run time"
    for each in (old, value):
        if each is not None:
            note_escape(frame, tree, each, None)
    if name not in cls.exchanged:
        cls.exchanged[name] = Unknown(reason)
        frame.analysis.changed = True
    cls.attributes[name] = cls.exchanged[name]


def change_methods_like(
    frame: Frame, tree: ast.expr, cls: ClassRecord, pattern: str, value: Value
) -> None:
    """``setattr(cls, name, wrap(getattr(cls, name)))``: each method that may be meant."""
    for owner in cls.ancestry():
        for name, found in list(owner.attributes.items()):
            known = isinstance(found, Function) or name in owner.exchanged
            if known and fnmatchcase(name, pattern):
                _change_method(frame, tree, cls, name, value)


def change_library(frame: Frame, tree: ast.expr, holder: External, name: str, value: Value) -> None:
    """``torch.Tensor.double = function``: what torch has by that name is not known any more."""
    dotted = canonical(f"{holder.name}.{name}")
    if not dotted.startswith("torch.") or not isinstance(value, _CALLABLE):
        return
    reason = f"{dotted} is monkeypatched"
    note_escape(frame, tree, value, None)
    if dotted not in frame.analysis.exchanged:
        frame.analysis.exchanged[dotted] = Unknown(reason)
        frame.analysis.changed = True
