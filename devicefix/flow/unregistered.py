"""Modules that a module keeps in a plain list, tuple or dict: they are no part of it.

``Module.__setattr__`` registers a module, and nothing else. What stands in a list is not in
``parameters()``: ``.to()`` does not move it, and ``state_dict()`` does not save it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from devicefix.flow import registering
from devicefix.flow.analysis import Analysis
from devicefix.flow.construction import is_constructed_by
from devicefix.flow.facts import PlainContainer
from devicefix.flow.joins import parts_in
from devicefix.flow.values import (
    ClassRecord,
    FileRecord,
    Instance,
    Listing,
    Mapping,
    ObjectRecord,
    Stream,
    Tuple,
    Value,
)

_OWN_WAYS = frozenset({"_apply", "cuda", "named_parameters", "parameters", "to"})
"""What a class defines that says itself what its parameters are, or how it moves."""


Held: TypeAlias = tuple[ObjectRecord, str, Value]
"""A module, and an attribute of it with its value."""


def plain_containers(
    analysis: Analysis, held: Iterable[Held], file: FileRecord
) -> tuple[PlainContainer, ...]:
    """Those of ``held`` that a file binds to an attribute of a module, in the order of the text."""
    found: dict[ast.stmt, PlainContainer] = {}
    for owner, name, value in held:
        for target, statement in _bindings(analysis, owner, name, file):
            if statement not in found:
                wrapper, blocked = registering.container(analysis, owner, target, statement, value)
                found[statement] = PlainContainer(statement, name, wrapper, blocked)
    return tuple(sorted(found.values(), key=lambda one: one.statement.lineno))


def unregistered(analysis: Analysis) -> Iterator[Held]:
    """The modules with an attribute that holds modules and does not register them."""
    asked = analysis.seen.asked_for_parameters
    for owner in analysis.objects():
        if owner.cls is None or not owner.module or owner.framework:
            continue
        if any(_says_itself(cls) for cls in owner.cls.ancestry()):
            continue
        for name, value in owner.attributes.items():
            if isinstance(value, (Listing, Mapping, Stream, Tuple)) and any(
                _is_lost(owner, module, asked) for module in modules_in(value)
            ):
                yield owner, name, value


def modules_in(value: Value) -> tuple[ObjectRecord, ...]:
    """The modules that a container holds, in containers within it as well."""
    parts = parts_in(value)
    return tuple(m for part in parts if isinstance(part, Instance) for m in part.modules)


def _is_lost(owner: ObjectRecord, module: ObjectRecord, asked: set[ObjectRecord]) -> bool:
    """It has parameters, the constructor of ``owner`` makes it, and nothing registers it.

    What the program moves itself, and asks for parameters itself, is kept out of ``parameters()``
    on purpose; so may be what somebody else has made.
    """
    if not module.stateful or module.parent is not None:
        return False
    return is_constructed_by(module, owner) and not (module.moved and module in asked)


def _says_itself(cls: ClassRecord) -> bool:
    return not _OWN_WAYS.isdisjoint(cls.attributes)


def _bindings(
    analysis: Analysis, owner: ObjectRecord, name: str, file: FileRecord
) -> Iterator[tuple[ast.Attribute, ast.stmt]]:
    """Where the classes of ``owner`` bind the attribute in their constructors, in this file."""
    assert owner.cls is not None
    classes = [cls.tree for cls in owner.cls.ancestry()]
    for target in _targets(analysis.seen.stored, name):
        statement = analysis.parents.get(target)
        if not isinstance(statement, ast.Assign):
            continue
        method, cls = registering.place_of(analysis.parents, statement)
        if method is None or method.name != "__init__" or cls not in classes:
            continue
        if analysis.home(statement) is file and registering.is_receiver(target.value, method):
            yield target, statement


def _targets(stored: Iterable[ast.expr], name: str) -> list[ast.Attribute]:
    return [t for t in stored if isinstance(t, ast.Attribute) and t.attr == name]
