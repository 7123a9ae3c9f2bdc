"""Where statements of a generated program stand: what is in reach there, and where it lives."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count

from tests.properties.choices import Choices
from tests.properties.sketch import Hole, Kind, Sketch


class Sort(enum.Enum):
    """Shape and type of a tensor: few, so that most fit each other."""

    BATCH = "float, 4 x 3"
    ROW = "float, 3"
    COLUMN = "float, 4"
    NUMBER = "float, no dimension"
    LABELS = "integers below 3, 4"
    MASK = "booleans, 4"


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor in reach."""

    text: str
    sort: Sort
    there: bool
    """It is on the device in the right program."""
    grad: bool = False
    """It may require a gradient: it is not written in place."""


@dataclass(frozen=True, slots=True)
class Routine:
    """A function or a module in reach."""

    text: str
    takes: tuple[Sort, ...]
    gives: Sort
    module: bool = False
    closes: bool = False
    """It reads tensors that are on the device: it cannot be called with others."""


@dataclass
class Scope:
    """A block of statements."""

    sketch: Sketch
    choices: Choices
    lines: list[str]
    here: str = ""
    indent: str = ""
    values: list[Value] = field(default_factory=list)
    callables: list[Routine] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)
    gradients: bool = True
    depth: int = 0

    def line(self, text: str) -> None:
        """One more statement."""
        self.lines.append(self.indent + text.replace("\n", "\n" + self.indent))

    def name(self, prefix: str) -> str:
        """A name that nothing has yet."""
        return f"{prefix}{next(self.numbers)}"

    def hole(self, kind: Kind, name: str = "", value: str = "") -> str:
        """The mark of a transfer."""
        return self.sketch.hole(Hole(kind, self.here, name, value, self.indent))

    def of(self, sort: Sort) -> list[Value]:
        """What is in reach of that sort."""
        return [value for value in self.values if value.sort is sort]

    def at(self, value: Value, there: bool) -> str:
        """``value`` where it is needed: moved, if it is not there."""
        if value.there == there:
            return value.text
        return value.text + self.hole(Kind.TO if there else Kind.CPU)

    def known(self, value: Value) -> Value:
        """From now on ``value`` is in reach."""
        self.values.append(value)
        return value

    def bind(self, prefix: str, text: str, sort: Sort, there: bool, grad: bool = False) -> Value:
        """Give ``text`` a name."""
        name = self.name(prefix)
        self.line(f"{name} = {text}")
        return self.known(Value(name, sort, there, grad and self.gradients))

    @contextmanager
    def block(self, head: str, keeps: bool = True) -> Iterator[Scope]:
        """Statements below ``head``; what they bind stays in reach if they surely run."""
        self.line(head)
        inner = replace(
            self,
            indent=self.indent + "    ",
            values=list(self.values),
            callables=list(self.callables),
            depth=self.depth + 1,
        )
        before = len(self.lines)
        yield inner
        if len(self.lines) == before:
            inner.line("pass")
        if keeps:
            self.values[:] = [replace(v) for v in inner.values]
            self.callables[:] = inner.callables

    def inside(self, lines: list[str], here: str, indent: str, values: list[Value]) -> Scope:
        """The body of a function elsewhere in the file: it sees its parameters."""
        return replace(
            self,
            lines=lines,
            here=here,
            indent=indent,
            values=values,
            callables=[],
            gradients=True,
            depth=self.depth + 1,
        )
