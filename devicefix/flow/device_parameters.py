"""Parameters that nobody fills and that are devices: the function hands them to torch as such."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from devicefix.flow.frame import Frame
from devicefix.flow.graph import Label
from devicefix.flow.imported import dotted, origins
from devicefix.flow.joins import join_all
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.values import NONE, Const, Device, Value, as_device
from devicefix.source import Source


def used_as_device(frame: Frame, parameter: ast.arg, default: ast.expr | None) -> Value | None:
    """The device that callers give, if ``torch.zeros(3, device=parameter)`` says that it is one, or
    if it is one where nobody gives it, and ``x.to(parameter)`` takes it.

    None where nothing does, and where ``default`` is no device.
    """
    source, key = frame.file.source, (frame.tree, parameter.arg)
    named = default is not None and _names_device(frame, default)
    absent = isinstance(default, ast.Constant) and default.value is None
    if not (default is None or named or absent):
        return None
    place = source.once(_places).get(key) or (source.once(_sent).get(key) if named else None)
    if place is None:
        return None
    device = Device(Label.TARGET, typed=False, origins=frozenset((place,)))
    return join_all((device, NONE)) if absent else device


def _names_device(frame: Frame, default: ast.expr) -> bool:
    """``"cuda"``, ``torch.device("cpu")``: no dtype and no tensor, to which one can go as well."""
    match default:
        case ast.IfExp(body=body, orelse=orelse):
            return _names_device(frame, body) and _names_device(frame, orelse)
        case ast.Call(func=func):
            return dotted(func, frame.file.source.once(origins)) == "torch.device"
        case ast.Name(id=name):
            usual = frame.parent.lookup(name) if frame.parent is not None else None
            return isinstance(usual, Device)
        case ast.Constant(value=value):
            return as_device(Const(value)) is not None
    return False


def _sent(source: Source) -> Mapping[tuple[ast.AST, str], ast.expr]:
    """By function and name of a parameter: where something is sent to it, ``x.to(parameter)``."""
    found: dict[tuple[ast.AST, str], ast.expr] = {}
    for call in source.of_type(ast.Call):
        assert isinstance(call, ast.Call)
        given = call.args[0] if len(call.args) == 1 else None
        sends = isinstance(call.func, ast.Attribute) and call.func.attr == "to"
        if sends and isinstance(given, ast.Name) and (function := _binder(source, given)):
            found.setdefault((function, given.id), given)
    return found


def _places(source: Source) -> Mapping[tuple[ast.AST, str], ast.expr]:
    """By function and name of a parameter: where it is handed to torch as a device."""
    known = source.once(origins)
    found: dict[tuple[ast.AST, str], ast.expr] = {}
    for call in source.of_type(ast.Call):
        assert isinstance(call, ast.Call)
        for given in _devices(call, known):
            if isinstance(given, ast.Name) and (function := _binder(source, given)) is not None:
                found.setdefault((function, given.id), given)
    return found


def _devices(call: ast.Call, known: Mapping[str, str]) -> list[ast.expr]:
    """The arguments of a call that are a device if it is what it seems to be."""
    name = dotted(call.func, known)
    given = [k.value for k in call.keywords if k.arg == "device" and name.startswith("torch.")]
    return [*given, *call.args[:1]] if name == "torch.device" else given


def _binder(source: Source, name: ast.Name) -> ast.AST | None:
    """The innermost function around ``name`` that has a parameter of its name."""
    above = source.parent(name)
    while above is not None:
        if isinstance(above, FUNCTIONS):
            spec = above.args
            if any(a.arg == name.id for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)):
                return above
        above = source.parent(above)
    return None
