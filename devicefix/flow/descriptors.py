"""Attributes that the program's own classes answer for: properties, descriptors, ``__setattr__``.

https://docs.python.org/3/howto/descriptor.html
"""

from __future__ import annotations

import ast

from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.joins import join, one_of
from devicefix.flow.values import (
    Bound,
    Class,
    ClassRecord,
    Const,
    External,
    Function,
    Instance,
    ObjectRecord,
    Value,
)


def defines(value: Value | None, method: str) -> bool:
    """Whether an object of the program has a method of its own by that name."""
    records = value.records if isinstance(value, Instance) else ()
    return any(r.cls is not None and isinstance(r.cls.lookup(method), Function) for r in records)


def class_of(value: Value) -> Value | None:
    """``type(x)`` and ``x.__class__`` of objects of the program and of layers; None: not known."""
    found: list[Value] = []
    for record in value.records if isinstance(value, Instance) else ():
        if record.unfollowed or not (record.cls or record.layer):
            return None
        found.append(Class(record.cls) if record.cls is not None else External(record.layer))
    return one_of(found) if found else None


def computed_by_class(
    frame: Frame, tree: ast.expr, record: ObjectRecord, name: str
) -> Value | None:
    """What a property or a descriptor of the class gives for an attribute; None: there is none.

    One that can also be set comes before what the object itself has by that name.
    """
    found = record.cls.lookup(name) if record.cls is not None else None
    if found is None or record.cls is None:
        return None
    own = None if _is_set_by_class(found) else record.attributes.get(name)
    this = Instance(frozenset((record,)))
    if isinstance(found, Function):
        if found.kind != "property" or own is not None:
            return None
        place = frame.analysis.implied(tree, name, record)
        return frame.call(place, Bound(this, name, found), Arguments())
    given = asked_of_descriptor(frame, tree, found, this, record.cls)
    # what the first access has kept comes from there as well
    return join(given, own) if given is not None and own is not None else given


def asked_of_descriptor(
    frame: Frame, tree: ast.expr, found: Value | None, this: Value, cls: ClassRecord
) -> Value | None:
    """What ``__get__`` of ``found`` gives, where it is a descriptor; ``this``: None for a class."""
    if found is None or not defines(found, "__get__"):
        return None
    place = frame.analysis.implied(tree, "__get__")
    return frame.call_method(place, found, "__get__", this, Class(cls))


def _is_set_by_class(found: Value) -> bool:
    """Whether a property or a descriptor takes what is assigned to the attribute."""
    if isinstance(found, Function):
        return found.kind == "property" and found.setter is not None
    return defines(found, "__set__")


def is_stored_by_class(holder: Value, name: str) -> bool:
    """Whether the class of an object has code that stores what the attribute is given."""
    return isinstance(holder, Instance) and any(
        defines(Instance(frozenset((record,))), "__setattr__")
        or ((found := record.cls.lookup(name)) is not None and _is_set_by_class(found))
        for record in holder.records
        if record.cls is not None
    )


def store_by_class(frame: Frame, tree: ast.expr, holder: Instance, name: str, value: Value) -> None:
    """``x.name = value``, by ``__setattr__``, a descriptor or a property of the class of ``x``."""
    for record in holder.records:
        this = Instance(frozenset((record,)))
        found = record.cls.lookup(name) if record.cls is not None else None
        if defines(this, "__setattr__"):
            frame.call_method(tree, this, "__setattr__", Const(name), value)
        elif isinstance(found, Function) and found.setter is not None:
            bound = Bound(this, name, found.setter)
            frame.call(tree, bound, Arguments([(None, value)]))
        elif found is not None and defines(found, "__set__"):
            frame.call_method(tree, found, "__set__", this, value)
        else:
            frame.store(record, name, value)


def name_descriptors(frame: Frame, tree: ast.ClassDef, record: ClassRecord) -> None:
    """A class tells what it holds by which name it does."""
    for name, value in record.attributes.items():
        if defines(value, "__set_name__"):
            place = frame.analysis.implied(tree, tree.name, name)
            frame.call_method(place, value, "__set_name__", Class(record), Const(name))


def answered_by(
    frame: Frame, tree: ast.expr, decorator: Value, made: Function
) -> Function | Instance | None:
    """What answers for an attribute when ``decorator`` has taken the function ``made``.

    ``@x.setter`` and its like give the property ``x`` another function, and a class that has a
    ``__get__`` makes a descriptor; None for all others.
    """
    match decorator:
        case Bound(receiver=Function(kind="property") as own, name="getter"):
            return made.as_property(own.setter)
        case Bound(receiver=Function(kind="property") as own, name="setter"):
            return own.as_property(made)
        case Bound(receiver=Function(kind="property") as own, name="deleter"):
            return own
        case Class(record=record) if isinstance(record.lookup("__get__"), Function):
            descriptor = frame.call(tree, decorator, Arguments([(None, made)]))
            return descriptor if isinstance(descriptor, Instance) else None
    return None


def made_property(args: Arguments) -> Value | None:
    """``property(get, set)``."""
    getter, setter = args.value(0, "fget"), args.value(1, "fset")
    if not isinstance(getter, Function):
        return None
    return getter.as_property(setter if isinstance(setter, Function) else None)
