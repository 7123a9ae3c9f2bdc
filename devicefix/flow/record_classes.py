"""Classes whose fields are their annotations: dataclasses and named tuples."""

from __future__ import annotations

import ast

from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.storing import named_tuple
from devicefix.flow.values import (
    ClassRecord,
    External,
    Function,
    ObjectRecord,
    Plain,
    TupleClass,
    Value,
)
from devicefix.source import annotated_targets

_TUPLES = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple"})
_MAKERS = _TUPLES | {
    "attr.dataclass", "attr.define", "attr.frozen", "attr.mutable", "attrs.define", "attrs.frozen",
    "attrs.mutable", "chex.dataclass", "dataclasses.dataclass", "flax.struct.dataclass",
    "pydantic.dataclasses.dataclass",
}  # fmt: skip
"""Bases and decorators that write ``__init__`` by the annotations of a class."""


def is_record_class(cls: ClassRecord) -> bool:
    """Dataclasses and named tuples: their fields are their annotations."""
    around = cls.frame.parent or cls.frame
    marks = (m.func if isinstance(m, ast.Call) else m for m in cls.tree.decorator_list)
    makers = [*map(around.evaluate, marks), *cls.bases]
    return any(isinstance(maker, External) and maker.name in _MAKERS for maker in makers)


def is_plain_tuple(cls: ClassRecord) -> bool:
    """A named tuple without methods of its own."""
    named = [isinstance(base, External) and base.name in _TUPLES for base in cls.bases]
    return named == [True] and not any(
        isinstance(value, Function) for value in cls.attributes.values()
    )


def tuple_of_fields(frame: Frame, cls: ClassRecord, args: Arguments) -> Value:
    """``State(h, c)`` of such a class: each field is an item."""
    return named_tuple(frame, TupleClass(tuple(_fields(cls))), _filled(cls, args))


def _filled(cls: ClassRecord, args: Arguments) -> Arguments:
    """``args``, and the defaults of the fields that they do not reach."""
    if any(expr is None for expr, _ in args.positional):
        return args  # those of `Step(*fields)` may be any
    given = {key for key, _ in args.keywords}
    left = [name for name in _fields(cls)[len(args.positional) :] if name not in given]
    defaults = [(name, (None, cls.attributes[name])) for name in left if name in cls.attributes]
    return Arguments(args.positional, (*args.keywords, *defaults), args.rest)


def _fields(cls: ClassRecord) -> list[str]:
    return [
        target.id
        for owner in reversed(cls.ancestry())
        for s in owner.tree.body
        for target in annotated_targets(s)
        if isinstance(target, ast.Name)
    ]


def fill_fields(frame: Frame, record: ObjectRecord, cls: ClassRecord, args: Arguments) -> None:
    """Each field of a dataclass becomes an attribute of ``record``."""
    fields = _fields(cls)
    for position, name in enumerate(fields):
        value = args.value(position, name)
        if value is None:
            value = cls.lookup(name) or Plain()
        frame.store(record, name, value)
    if not _TUPLES.isdisjoint(cls.library_bases()):
        record.children = [record.attributes[name] for name in fields]
