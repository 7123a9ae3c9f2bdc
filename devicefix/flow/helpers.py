"""A project's own helpers: functions and names that give the device of the accelerator.

One is found by what it gives: evaluated like any program, it is an accelerator; asked without one
it is the CPU, and with CUDA it is CUDA (`helper_answers`). Its name counts for nothing.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from devicefix.device_helpers import KINDS, DeviceHelper
from devicefix.flow.evaluated import Evaluated
from devicefix.flow.graph import Label
from devicefix.flow.helper_answers import Machine, Place, functions, given, names
from devicefix.flow.helper_imports import Neighbour, Reached
from devicefix.flow.values import as_device
from devicefix.source import ModuleIndex, Program, Source

_ASKS: Final = re.compile(r"is_available|current_accelerator|device_count")
"""What the text of a file has that asks what there is."""
_PACKAGE: Final = "__init__"
_ENDING: Final = ".py"


def helpers(
    files: Iterable[str], modules: ModuleIndex, neighbour: Neighbour
) -> tuple[DeviceHelper, ...]:
    """The helpers that these files define."""
    return tuple(helper for path in files for helper in _of_file(path, modules, neighbour))


def _of_file(path: str, modules: ModuleIndex, neighbour: Neighbour) -> Iterator[DeviceHelper]:
    source = neighbour(path) if path.endswith(_ENDING) else None
    if source is None or not _ASKS.search(source.text):
        return
    found = [(f.name, f.lineno, True) for f in functions(source)]
    found += [(name, value.lineno, False) for name, value in names(source)]
    reached: Reached | None = None
    for name, line, called in found:
        answers = _answers(source, name)
        if answers is None or not _is_accelerator(source, name, called, modules, neighbour):
            continue
        reached = reached or Reached.of(source, modules, neighbour)
        typed = all(isinstance(answer, Place) for answer in answers)
        yield DeviceHelper(
            path,
            name,
            line,
            called,
            typed,
            tuple(map(str, answers[-len(KINDS) :])),
            frozenset(reached.files),
            frozenset(reached.libraries),
            reached.silent,
        )


def _answers(source: Source, name: str) -> list[str | Place] | None:
    """What it gives without an accelerator, with CUDA and with others; None for no helper."""
    host = [given(source, name, Machine("", recent)) for recent in (True, False)]
    cuda = [given(source, name, Machine("cuda", recent)) for recent in (True, False)]
    others = [given(source, name, Machine(kind)) for kind in KINDS]
    found = [one for one in (*host, *cuda, *others) if one is not None]
    if len(found) < len(host) + len(cuda) + len(others):
        return None
    kinds = [*(str(one) for one in host), *(str(one).removesuffix(":0") for one in cuda)]
    return found if kinds == ["cpu", "cpu", "cuda", "cuda"] else None


def _is_accelerator(
    source: Source, name: str, called: bool, modules: ModuleIndex, neighbour: Neighbour
) -> bool:
    """Whether the analysis, too, says that it is on the accelerator."""
    path = Path(source.path)
    module = "" if path.stem == _PACKAGE else path.stem
    if module and (not module.isidentifier() or keyword.iskeyword(module)):
        return False  # no import can name it
    text = f"from .{module} import {name}\n{name}{'()' if called else ''}\n"
    probe = Source(str(path.with_name("devicefix-helper.py")), text)
    program = Program({probe.path: probe}, modules, neighbour)
    (_, statement) = probe.tree.body
    assert isinstance(statement, ast.Expr)
    values = [as_device(value) for value in Evaluated.of(program).values(statement.value)]
    return bool(values) and all(v is not None and v.label is Label.TARGET for v in values)
