"""A program in which every transfer is a hole: written, left out, or spelled in another way.

With no hole written it is a program for the CPU; with all of them it is right on any device. That
is the golden answer: what `apply` makes of anything in between has to do the same.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

HEADER: Final = """\
import argparse
import collections
import contextlib
import copy
import functools
import io
import itertools
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

"""
_MARK: Final = re.compile("\N{LEFT WHITE SQUARE BRACKET}(\\d+)\N{RIGHT WHITE SQUARE BRACKET}")


class Spelling(enum.Enum):
    """How a program says where it wants its tensors."""

    VARIABLE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    TEXT = 'device = "cuda" if torch.cuda.is_available() else "cpu"'
    LITERAL = "cuda"
    CUDA = ".cuda()"
    GUARDED = "use_cuda = torch.cuda.is_available()"

    @property
    def runs_anywhere(self) -> bool:
        """Whether a program that is spelled so runs without CUDA."""
        return self not in (Spelling.LITERAL, Spelling.CUDA)


class Kind(enum.Enum):
    """What a hole is for."""

    TO = "a suffix that moves"
    KEYWORD = "a last argument of a factory"
    MODULE = "a suffix that moves a module"
    CPU = "a suffix that brings back"
    BUFFER = "self.x = … that is a buffer"
    GUARD = "a statement of its own that moves a name"


@dataclass(frozen=True, slots=True)
class Hole:
    """A place for a transfer."""

    kind: Kind
    here: str = ""
    """What tells the device inside a function: ``x.device``; empty at the top of the program."""
    name: str = ""
    """Of a statement: the name that is moved."""
    value: str = ""
    indent: str = ""

    def written(self, spelling: Spelling) -> str:
        """The transfer, as a program of that spelling has it."""
        device = self.here or "device"
        hard = spelling in (Spelling.CUDA, Spelling.LITERAL)
        match self.kind:
            case Kind.CPU:
                return ".cpu()"
            case Kind.BUFFER:
                return f'self.register_buffer("{self.name}", {self.value}, persistent=False)'
            case Kind.GUARD if spelling is Spelling.CUDA:
                return f"{self.name} = {self.name}.cuda()"
            case Kind.GUARD if spelling is Spelling.GUARDED and not self.here:
                return f"if use_cuda:\n{self.indent}    {self.name} = {self.name}.cuda()"
            case Kind.GUARD:
                where = '"cuda"' if hard else device
                return f"{self.name} = {self.name}.to({where})"
            case Kind.KEYWORD:
                return f", device={chr(34) + 'cuda' + chr(34) if hard else device}"
            case Kind.MODULE | Kind.TO if spelling is Spelling.CUDA:
                return ".cuda()"
        return f".to({chr(34) + 'cuda' + chr(34) if hard else device})"

    def plain(self) -> str:
        """What stands there in a program for the CPU."""
        return f"self.{self.name} = {self.value}" if self.kind is Kind.BUFFER else ""


@dataclass
class Sketch:
    """The text with its holes."""

    classes: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    main: list[str] = field(default_factory=list)
    holes: list[Hole] = field(default_factory=list)
    anchored: bool = False
    """A module is used on data: it belongs on the device."""

    def hole(self, hole: Hole) -> str:
        """The mark of a new hole."""
        self.holes.append(hole)
        return f"\N{LEFT WHITE SQUARE BRACKET}{len(self.holes) - 1}\N{RIGHT WHITE SQUARE BRACKET}"

    def text(self, spelling: Spelling, written: Callable[[int], bool]) -> str:
        """The program with those holes written."""

        def fill(mark: re.Match[str]) -> str:
            number = int(mark[1])
            hole = self.holes[number]
            return hole.written(spelling) if written(number) else hole.plain()

        body = "\n".join([*self.classes, *self.functions])
        main = "\n".join(self.main)
        body, main = (_MARK.sub(fill, part) for part in (body, main))
        main = "\n".join(line for line in main.split("\n") if line.strip())
        return f"{HEADER}{body}\ntorch.manual_seed(0)\n{_heading(spelling, body + main)}{main}\n"

    def plain(self) -> str:
        """The program for the CPU."""
        return self.text(Spelling.VARIABLE, lambda _: False)

    def right(self, spelling: Spelling = Spelling.VARIABLE) -> str:
        """The program with all transfers."""
        return self.text(spelling, lambda _: True)


_DEVICE: Final = re.compile(r"(?<![\w.])device\b(?!=)")


def _heading(spelling: Spelling, body: str) -> str:
    """What the program defines before it moves anything."""
    lines = []
    if spelling is Spelling.GUARDED and "use_cuda" in body:
        lines.append(spelling.value)
    if _DEVICE.search(body):
        named = spelling if spelling is Spelling.TEXT else Spelling.VARIABLE
        lines.append(named.value)
    return "".join(f"{line}\n" for line in lines)
