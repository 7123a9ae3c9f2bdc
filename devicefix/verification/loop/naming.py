"""Which expression names the accelerator at a place: the ladder of the analysis, on what was seen.

A device in scope that the program has; the tensor that is met, in the same statement; the module at
hand; at last a new `device` after the imports.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from devicefix.edits import import_torch, insert_after_imports, quoted
from devicefix.edits.devices import renamed
from devicefix.edits.imports import torch_neighbour
from devicefix.findings import Edit
from devicefix.records import Held, Operand
from devicefix.settings import Settings
from devicefix.source import Source
from devicefix.source.imports import bound_names
from devicefix.verification.loop.sites import (
    Function,
    binding,
    class_of,
    expressions,
    function_of,
    statement_at,
)

_NEW: Final = ("device", "torch_device", "accelerator_device")


@dataclass(frozen=True, slots=True)
class Named:
    """An expression for the device, and the edits that it needs."""

    text: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """What a run has shown of the device."""

    devices: tuple[Held, ...] = ()
    """Its names."""
    anchors: tuple[Operand, ...] = ()
    """Tensors that are there."""
    exactly: str = ""
    """One name for it, where there are several accelerators; nothing else is one then."""


def device_at(source: Source, statement: ast.stmt, seen: Seen, settings: Settings) -> Named | None:
    """How to name the device in ``statement``; None where nothing does."""
    if seen.exactly:
        return Named(seen.exactly)
    function = function_of(source, statement)
    is_method = function is not None and isinstance(source.parent(function), ast.ClassDef)
    ways = chain(
        _met(source, statement, seen) if function is not None else (),
        _names(source, statement, seen, given=True) if is_method else (),
        _names(source, statement, seen),
        _defined(source, statement, settings),
        _met(source, statement, seen),
        _names(source, statement, seen, given=True),
        _modules(source, statement, seen),
    )
    first = next(ways, None)
    return _new(source, settings) if first is None else Named(first)


def exact_names(source: Source, statement: ast.stmt, seen: Seen) -> list[str]:
    """All names there may be for the very device of the tensors that are met."""
    whole = {one.variable for one in seen.devices if _is_file(source, one)}
    ways = chain(
        _met(source, statement, seen),
        (one for one in sorted(whole) if _is_bound(source, statement, one)),
        _parameters(source, statement, seen),
        _modules(source, statement, seen),
        _beside(source, statement),
    )
    return list(dict.fromkeys(ways))


def _names(
    source: Source, statement: ast.stmt, seen: Seen, *, given: bool = False
) -> Iterator[str]:
    """Variables that were the device in a scope that the statement sees, and are bound before.

    ``given``: instead of them, ``x.device`` of the function's arguments.
    """
    function = function_of(source, statement)
    for one in seen.devices:
        ours = one.at.function in ("<module>", function.name if function is not None else "")
        is_given = one.variable.endswith(".device") and _is_argument(function, one.variable)
        bound = _is_file(source, one) and _is_bound(source, statement, one.variable)
        if ours and bound and is_given is given:
            yield one.variable


def _is_argument(function: Function | None, variable: str) -> bool:
    """Whether it is an attribute of what a function is given, but for its own object."""
    arguments = _arguments(function) if function is not None else ()
    return variable.partition(".")[0] in {one.arg for one in arguments} - {"self", "cls"}


def _met(source: Source, statement: ast.stmt, seen: Seen) -> Iterator[str]:
    """``x.device`` of a tensor that this very statement names."""
    for anchor in seen.anchors:
        for one in anchor.holders:
            here = _is_file(source, one) and statement_at(source, one.at.line) is statement
            if here and one.variable.replace(".", "").replace("_", "").isalnum():
                yield f"{one.variable}.device"


def _modules(source: Source, statement: ast.stmt, seen: Seen) -> Iterator[str]:
    """A parameter of a module that the statement has in a variable."""
    for one in (owner for anchor in seen.anchors for owner in anchor.owners):
        ours = _is_file(source, one) and _is_of(source, statement, one)
        if ours and _is_bound(source, statement, one.variable):
            yield f"next({one.variable}.parameters()).device"


def _beside(source: Source, statement: ast.stmt) -> Iterator[str]:
    """``x.device`` of all that the statement reads by a name; not all of it need be a tensor."""
    for node in expressions(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            called = getattr(source.parent(node), "func", None) is node
            if not called and _is_bound(source, statement, node.id):
                yield f"{node.id}.device"


def _parameters(source: Source, statement: ast.stmt, seen: Seen) -> Iterator[str]:
    """The very parameter that is met, by its name in a module that the statement has."""
    for anchor in sorted(seen.anchors, key=lambda anchor: -len(anchor.shape)):
        for one in (owner for other in seen.anchors for owner in other.owners):
            ours = _is_file(source, one) and _is_of(source, statement, one)
            if anchor.module and ours and _is_bound(source, statement, one.variable):
                parts = (f"[{x}]" if x.isdigit() else f".{x}" for x in anchor.module.split("."))
                yield f"{one.variable}{''.join(parts)}.device"


def _is_of(source: Source, statement: ast.stmt, one: Held) -> bool:
    """Whether a variable is one of the function around a statement, or the object of its class."""
    function = function_of(source, statement)
    if one.at.function == (function.name if function is not None else "<module>"):
        return True
    running, owner = statement_at(source, one.at.line), class_of(source, statement)
    if one.variable != "self" or running is None or owner is None:
        return False
    return class_of(source, running) is owner


def _is_file(source: Source, one: Held) -> bool:
    return os.path.realpath(one.at.file) == os.path.realpath(source.path)


def _is_bound(source: Source, statement: ast.stmt, variable: str) -> bool:
    """Whether a variable, or the object that has it, is there before ``statement`` runs."""
    name = variable.partition(".")[0]
    function = function_of(source, statement)
    if function is not None and name in {a.arg for a in _arguments(function)}:
        return True
    found = binding(source, statement, name)
    return isinstance(found, (ast.Assign, ast.AnnAssign, ast.If))


def _arguments(function: Function) -> Sequence[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _defined(source: Source, statement: ast.stmt, settings: Settings) -> Iterator[str]:
    """``device = torch.device(…)`` at the top of the file, as a fix before has written it."""
    ours = ast.unparse(ast.parse(_expression(source, settings), mode="eval"))
    for one in source.tree.body:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                chosen = _is_choice(value) or ast.unparse(value) == ours
                if chosen and binding(source, statement, name) is one:
                    yield name


def _is_choice(value: ast.expr) -> bool:
    """``torch.device(…)`` with more to it than one name."""
    if not isinstance(value, ast.Call) or len(value.args) != 1:
        return False
    is_device = ast.unparse(value.func).rpartition(".")[2] == "device"
    return is_device and not isinstance(value.args[0], ast.Constant)


def _new(source: Source, settings: Settings) -> Named | None:
    """A new one at the top of the file, as the settings spell it."""
    taken = source.names | {argument.arg for argument in source.of_type(ast.arg)}
    name = next((name for name in _NEW if name not in taken), None)
    if name is None:
        return None
    imported = () if _torch_of(source) else import_torch(source)
    behind = torch_neighbour(source) if imported else None
    text = quoted(source, f"{name} = {_expression(source, settings)}")
    return Named(name, (*imported, insert_after_imports(source, text, behind)))


def _expression(source: Source, settings: Settings) -> str:
    """The device of the settings, with the file's name for torch."""
    fitting = settings.for_torch(settings.oldest_torch())
    return renamed(fitting.device_expression, _torch_of(source) or "torch")


def _torch_of(source: Source) -> str:
    """The file's name for torch; empty where it has none."""
    top = [s for s in source.tree.body if isinstance(s, (ast.Import, ast.ImportFrom))]
    found = (bound_names(statement).items() for statement in top)
    return next((n for names in found for n, origin in names if origin == "torch"), "")
