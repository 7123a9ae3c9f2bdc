"""Modules of classes that other libraries define, by the table of their names."""

from __future__ import annotations

import ast

from devicefix.flow.escapes import hand_over
from devicefix.flow.frame import Arguments, Frame
from devicefix.flow.graph import Label
from devicefix.flow.joins import parts_in, tensors_in
from devicefix.flow.modules import make_layer, place_module
from devicefix.flow.operands import Operand
from devicefix.flow.values import (
    Const,
    Device,
    Dtype,
    External,
    Instance,
    Mapping,
    ObjectRecord,
    Opaque,
    Plain,
    Value,
    as_device,
)
from devicefix.torch_api import is_library_module, is_stateless_module, placing_keywords

_SURELY = (Const, Device, External, Instance, Mapping)
"""What an argument surely is, and not None."""
_STATELESS = ("einops.layers.torch.",)


def make_library_module(frame: Frame, tree: ast.expr, name: str, args: Arguments) -> Instance:
    """What a call of ``name`` makes: it moves with its parents.

    Of a class nobody knows whether it has parameters, unless an optimizer gets them.
    """
    if not is_library_module(name):
        made = make_layer(frame, tree, name, Arguments())
        for record in made.records if name.startswith(_STATELESS) else ():
            record.stateful = record.weights = False
        for record in made.records:
            _place(frame, tree, record, name, args)
        return made
    record, _ = frame.analysis.object_record((frame.context, tree, name), tree)
    learns = record.weights
    made = make_layer(frame, tree, name, args)
    record.weights = learns
    stateless = is_stateless_module(name) and all(_holds_nothing(v) for _, v in args.all())
    record.stateful = record.stateful and not stateless
    _give(frame, tree, record.node, name, args)
    _place(frame, tree, record, name, args)
    return made


def _place(frame: Frame, tree: ast.expr, record: ObjectRecord, name: str, args: Arguments) -> None:
    """``device_map="auto"``: the library brings the module to the accelerator itself, and its
    ``device`` says where."""
    keywords = placing_keywords(name)
    given = [value for k in keywords if (value := args.value(None, k)) is not None]
    given = [v for v in given if not (isinstance(v, Const) and not v.value)]
    if any(isinstance(value, _SURELY) for value in given):
        named = (device for value in given if (device := as_device(value)) is not None)
        place_module(frame, record, next(named, Device(Label.TARGET)))
        record.attributes["device"] = Device(None, frozenset((record.node,)))
    elif given or (keywords and any(map(_may_hold_more, args.keywords))):
        frame.meet(record.node, tree, "the library may place the module itself")


def _may_hold_more(keyword: tuple[str | None, Operand]) -> bool:
    """``**kwargs`` of a caller that nobody has seen."""
    name, (_, value) = keyword
    return name is None and not isinstance(value, Mapping)


def is_stateless_layer(name: str) -> bool:
    """Say whether a class only rearranges what it is given."""
    return name.startswith(_STATELESS)


def _give(frame: Frame, tree: ast.expr, node: int, name: str, args: Arguments) -> None:
    """Tensors have to be where the module is, whether it keeps them as buffers or as attributes.

    What else its constructor does with them, and with modules, was not seen.
    """
    for expression, value in args.all():
        if tensors_in(value):
            frame.use(expression, value, node)
        hand_over(frame, tree, value, f"{name} was not analysed")


def _holds_nothing(value: Value) -> bool:
    """Whether an argument is surely neither a tensor nor a module, and holds none."""
    return all(_is_plain(part) for part in parts_in(value))


def _is_plain(part: Value) -> bool:
    if isinstance(part, Opaque):
        return not (part.parameter.tensor or part.parameter.module)
    return isinstance(part, (Const, Plain, Device, Dtype, External))
