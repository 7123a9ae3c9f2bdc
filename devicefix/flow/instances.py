"""Objects of the program's own classes: who makes them, and what is done to them then.

https://docs.python.org/3/reference/datamodel.html#object.__new__
"""

from __future__ import annotations

import ast

from devicefix.flow.escapes import hand_over_all, has_unseen_base, keeps_items
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.functions import allocate, call_function, initialize
from devicefix.flow.record_classes import is_plain_tuple, tuple_of_fields
from devicefix.flow.unfollowed import let_go
from devicefix.flow.values import Class, ClassRecord, Function, Instance, Unknown, Value

_TENSORS = ("torch.Tensor", "torch.nn.Parameter")


def constructor(record: ClassRecord) -> Function | None:
    """``__init__``, where nothing but that takes what the class is called with."""
    init = record.lookup("__init__")
    others = (record.of_metaclass("__call__"), record.lookup("__new__"))
    alone = not any(isinstance(other, Function) for other in others)
    return init if alone and isinstance(init, Function) else None


def instantiate(frame: Frame, tree: ast.expr, cls: Class, args: Arguments) -> Value:
    """``Cls(…)``: what the metaclass makes of the call, or a new object."""
    called = cls.record.of_metaclass("__call__")
    if not isinstance(called, Function):
        return construct(frame, tree, cls, args)
    frame.analysis.making.append((cls.record, frame, tree))
    made = call_function(frame, tree, called, args.before((None, cls)))
    frame.analysis.making.pop()
    return made


def construct(frame: Frame, tree: ast.expr, cls: Class, args: Arguments) -> Value:
    """What ``__new__`` gives, with its ``__init__`` evaluated if it is an object of the class."""
    if is_plain_tuple(cls.record):
        return tuple_of_fields(frame, cls.record, args)
    frame, tree = _place(frame, tree, cls)
    new = cls.record.lookup("__new__")
    if not isinstance(new, Function):
        return _initialized(frame, tree, allocate(frame, tree, cls), cls, args)
    frame.analysis.making.append((cls.record, frame, tree))
    made = call_function(frame, tree, new, args.before((None, cls)))
    frame.analysis.making.pop()
    if not isinstance(made, Instance):
        return made
    own = [r for r in made.records if r.cls is not None and cls.record in r.cls.ancestry()]
    if own:
        _initialized(frame, tree, Instance(frozenset(own)), cls, args)
    return made


def tell_bases(frame: Frame, tree: ast.ClassDef, cls: ClassRecord) -> None:
    """``__init_subclass__`` of a base is called with each class that inherits from it."""
    for base in cls.bases:
        told = base.record.lookup("__init_subclass__") if isinstance(base, Class) else None
        if isinstance(told, Function):
            given = [(k.arg, (k.value, frame.evaluate(k.value))) for k in tree.keywords]
            keywords = [(name, operand) for name, operand in given if name != "metaclass"]
            place = frame.analysis.implied(tree, tree.name)
            call_function(frame, place, told, Arguments([(None, Class(cls))], keywords))
            return


def _place(frame: Frame, tree: ast.expr, cls: Class) -> tuple[Frame, ast.expr]:
    """The call of the class that the code which makes the object was entered by."""
    for record, entered, call in reversed(frame.analysis.making):
        if record is cls.record:
            return entered, call
    return frame, tree


def _initialized(
    frame: Frame, tree: ast.expr, this: Instance, cls: Class, args: Arguments
) -> Value:
    init = cls.record.lookup("__init__")
    if isinstance(init, Unknown):
        hand_over_all(frame, tree, args, init.reason)
        return let_go(frame, tree, this, init.reason)
    if init is None and keeps_items(cls.record):
        hand_over_all(frame, tree, args, "an item of an object")
    if init is None and has_unseen_base(cls.record) and not this.modules:
        hand_over_all(frame, tree, args, "a constructor that was not analysed")
    reason = max(record.unfollowed for record in this.records)
    initialize(frame, tree, this, cls, args)
    return let_go(frame, tree, this, reason) if reason else this


def new_object(frame: Frame, tree: ast.expr, args: Arguments) -> Value:
    """``super().__new__(cls)``, ``object.__new__(cls)``."""
    cls = args.value(0)
    if not isinstance(cls, Class):
        hand_over_all(frame, tree, args, "an object of an unknown class")
        return Unknown("an object of an unknown class")
    reason = f"an object of {cls.record.name} created by a base class"
    if cls.record.library_bases():
        hand_over_all(frame, tree, args.after(1), reason)
    if any(base in _TENSORS for base in cls.record.library_bases()):
        return Unknown(reason)
    frame, tree = _place(frame, tree, cls)
    return allocate(frame, tree, cls)
