"""Which variables of the running lines hold a module, or name the accelerator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import FrameType, ModuleType
from typing import Any

import torch

from devicefix.observe.explanation import Held, place
from devicefix.simulator.places import KINDS, Kind

Module = torch.nn.Module

Line = tuple[FrameType, int]
"""A frame, and the line that runs in it."""


def lines_above(frame: FrameType | None) -> Iterator[Line]:
    """``frame`` and what called it, innermost first."""
    while frame is not None:
        yield frame, frame.f_lineno
        frame = frame.f_back


def owners(lines: Iterable[Line], has: Callable[[Module], bool]) -> list[Held]:
    """Of each line of the program the variable with the largest module that ``has`` accepts.

    A variable counts, and what an object in a variable holds: ``model``, ``trainer.model``.
    """
    found = []
    for frame, line in _of_the_program(lines):
        modules = [(name, value) for name, value in _reached(frame.f_locals) if _is(value, has)]
        if modules:
            name = max(modules, key=lambda one: (_size(one[1]), -one[0].count(".")))[0]
            found.append(_held(name, frame, line))
    return found


def devices(lines: Iterable[Line], device: torch.device | None) -> list[Held]:
    """The names of ``device`` in the scopes of the lines, or of any accelerator where it is None.

    Those of a file's own scope are in the function ``<module>``. A tensor that a function was given
    is one, too: ``x.device``.
    """
    found: dict[tuple[str, str, str], Held] = {}
    for frame, line in _of_the_program(lines):
        code = frame.f_code
        for scope, function in ((frame.f_locals, code.co_name), (frame.f_globals, "<module>")):
            for name, value in _reached(scope):
                if isinstance(value, torch.device) and _is_meant(value, device):
                    at = place(code.co_filename, line, function)
                    found.setdefault((at.file, function, name), Held(name, at))
        for name in code.co_varnames[: code.co_argcount]:
            value = frame.f_locals.get(name)
            if isinstance(value, torch.Tensor) and _is_meant(value.device, device):
                at = place(code.co_filename, line, code.co_name)
                found.setdefault((at.file, code.co_name, name), Held(f"{name}.device", at))
    return list(found.values())


def _of_the_program(lines: Iterable[Line]) -> Iterator[Line]:
    return (one for one in lines if KINDS[one[0].f_code.co_filename] is Kind.PROGRAM)


def _reached(scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The variables of a scope, and what the objects in them hold; no code of the program runs."""
    for name, value in list(scope.items()):
        if not name.isidentifier():
            continue
        yield name, value
        for key, item in list((_own(value) or {}).items()):
            if isinstance(item, (Module, torch.device)) and str(key).isidentifier():
                yield f"{name}.{key}", item


def _own(value: Any) -> dict[str, Any] | None:
    """The attributes of an object of the program; those of modules and classes are no state."""
    if isinstance(value, (Module, ModuleType, type)):
        return None
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return found if type(found) is dict else None


def _is(value: Any, has: Callable[[Module], bool]) -> bool:
    return isinstance(value, Module) and has(value)


def _size(module: Module) -> int:
    return sum(1 for _ in module.modules())


def _held(name: str, frame: FrameType, line: int) -> Held:
    code = frame.f_code
    return Held(name, place(code.co_filename, line, code.co_name))


def _is_meant(value: torch.device, device: torch.device | None) -> bool:
    if value.type in ("cpu", "meta"):
        return False
    return device is None or torch.empty(0, device=value).device == device
