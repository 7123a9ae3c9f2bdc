"""Pieces of programs as people write them: a text with holes, poured into the program.

In a text ``$name`` is a name that nothing else has, ``%B`` a tensor in reach that is on the device
in the right program (``B`` a batch, ``R`` a row, ``C`` a column, ``L`` labels, ``K`` a mask), and
``%M`` a module. Holes stand in angle brackets: ``<to>``, ``<kw>``, ``<cpu>``, ``<mod>``,
``<move:$name>``; with a colon what tells the device in a function, as ``<kw:x.device>``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tests.properties.scopes import Routine, Scope, Sort, Value
from tests.properties.sketch import Hole, Kind
from tests.properties.tensors import some
from tests.properties.training import module

_SORTS: Final = MappingProxyType(
    {"B": Sort.BATCH, "R": Sort.ROW, "C": Sort.COLUMN, "L": Sort.LABELS, "K": Sort.MASK}
)
KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {"to": Kind.TO, "kw": Kind.KEYWORD, "cpu": Kind.CPU, "mod": Kind.MODULE, "move": Kind.GUARD}
)
_HOLE: Final = re.compile(r"<(to|kw|cpu|mod|move|buf)(?::([^>]*))?>")
_NAME: Final = re.compile(r"\$([A-Za-z_]+)")
_OPERAND: Final = re.compile(r"%([BRCLKM])(?![a-zA-Z])")


@dataclass(frozen=True, slots=True)
class Idiom:
    """What is written, and what is in reach afterwards."""

    head: str
    """Classes and functions that stand before everything that runs."""
    main: str
    gives: str
    """Names and their sorts, as ``$x B, $y L, $net M``; a sort in lower case is on the host."""
    grad: bool
    """What it gives may require a gradient."""


def parsed(table: str) -> tuple[Idiom, ...]:
    """The idioms of a text: divided by ``====``, each in three parts: head, main, what it gives."""
    return tuple(_idiom(block) for block in table.split("\n====\n"))


def _idiom(block: str) -> Idiom:
    head, main, gives = (part.strip("\n") for part in f"{block}\n".split("----\n"))
    return Idiom(head, main, gives.removesuffix(" grad"), gives.endswith(" grad"))


def pour(scope: Scope, idiom: Idiom) -> None:
    """Write it down where the scope is."""
    names: dict[str, str] = {}

    def named(match: re.Match[str]) -> str:
        return names.setdefault(match[1], scope.name(match[1]))

    main, head, gives = (_NAME.sub(named, t) for t in (idiom.main, idiom.head, idiom.gives))
    main = _OPERAND.sub(lambda match: _operand(scope, match[1]), main)
    if head:
        scope.sketch.functions += [_filled(scope, head, ""), "", ""]
    for line in _filled(scope, main, scope.indent).split("\n"):
        scope.lines.append(scope.indent + line if line else line)
    for name, sort in (entry.split() for entry in gives.split(",") if entry.strip()):
        _known(scope, name, sort, idiom.grad)


def _operand(scope: Scope, letter: str) -> str:
    if letter == "M":
        scope.sketch.anchored = True
        return module(scope).text
    return scope.at(some(scope, _SORTS[letter]), True)


def _filled(scope: Scope, text: str, indent: str) -> str:
    """The text with marks for its holes."""

    def mark(line: str) -> str:
        own = indent + line[: len(line) - len(line.lstrip())]

        def hole(match: re.Match[str]) -> str:
            kind, said = match[1], match[2] or ""
            if kind == "buf":
                name, _, value = said.partition("=")
                return scope.sketch.hole(Hole(Kind.BUFFER, "", name, value, own))
            name, here = (said, "") if kind == "move" else ("", said)
            return scope.sketch.hole(Hole(KINDS[kind], here, name, "", own))

        return _HOLE.sub(hole, line)

    return "\n".join(mark(line) for line in text.split("\n"))


def _known(scope: Scope, name: str, sort: str, grad: bool) -> None:
    if sort == "M":
        scope.callables.append(Routine(name, (Sort.BATCH,), Sort.BATCH, module=True))
    else:
        there = sort.isupper()
        scope.known(Value(name, _SORTS[sort.upper()], there, grad and scope.gradients))
