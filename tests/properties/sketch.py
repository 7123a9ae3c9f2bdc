"""A program in which every transfer is a hole: written, left out, or spelled in another way.

With no hole written it is a program for the CPU; with all of them it is right on any device. That
is the golden answer: what `apply` makes of anything in between has to do the same.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from types import MappingProxyType
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


_CHOICE: Final = '"cuda" if torch.cuda.is_available() else "cpu"'
_PARSED: Final = "args = parser.parse_args([])\n"


class Spelling(enum.Enum):
    """How a program says where it wants its tensors: what it defines for that, by what it uses."""

    VARIABLE = f"device = torch.device({_CHOICE})\n"
    TEXT = f"device = {_CHOICE}\n"
    LITERAL = "cuda"
    CUDA = ".cuda()"
    GUARDED = "use_cuda = torch.cuda.is_available()\n"
    INDEXED = "cuda:0"
    ASYNC = "non_blocking=True"
    TERNARY = "on_gpu = torch.cuda.is_available()\n"
    ARGUMENT = (
        "parser = argparse.ArgumentParser()\n"
        f'parser.add_argument("--device", default={_CHOICE})\n{_PARSED}'
    )
    OPTION = (
        "parser = argparse.ArgumentParser()\n"
        f'parser.add_argument("--no-cuda", action="store_true")\n{_PARSED}'
        "args.cuda = not args.no_cuda and torch.cuda.is_available()\n"
    )
    HELPER = "def to_cuda(x):\n    return x.cuda() if torch.cuda.is_available() else x\n\n\n"

    @property
    def runs_anywhere(self) -> bool:
        """Whether a program that is spelled so runs without CUDA."""
        return self not in (Spelling.LITERAL, Spelling.CUDA, Spelling.INDEXED)

    @property
    def place(self) -> str:
        """What stands for the device at the top of the program."""
        if not self.runs_anywhere:
            return '"cuda:0"' if self is Spelling.INDEXED else '"cuda"'
        return "args.device" if self is Spelling.ARGUMENT else "device"

    def moved(self, name: str, indent: str) -> str:
        """The statement by which ``name`` is moved at the top of the program."""
        match self:
            case Spelling.CUDA:
                return f"{name} = {name}.cuda()"
            case Spelling.GUARDED:
                return f"if use_cuda:\n{indent}    {name} = {name}.cuda()"
            case Spelling.OPTION:
                return f"if args.cuda:\n{indent}    {name} = {name}.cuda()"
            case Spelling.TERNARY:
                return f"{name} = {name}.cuda() if on_gpu else {name}"
            case Spelling.HELPER:
                return f"{name} = to_cuda({name})"
            case Spelling.ASYNC:
                return f"{name} = {name}.to({self.place}, non_blocking=True)"
        return f"{name} = {name}.to({self.place})"

    def suffix(self, place: str) -> str:
        """What follows a value that is moved to ``place``."""
        match self:
            case Spelling.CUDA:
                return ".cuda()"
            case Spelling.INDEXED:
                return ".cuda(0)"
            case Spelling.ASYNC:
                return f".to({place}, non_blocking=True)"
        return f".to({place})"


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
        here = self.here if spelling.runs_anywhere else ""
        place = here or spelling.place
        match self.kind:
            case Kind.CPU:
                return ".cpu()"
            case Kind.BUFFER:
                return f'self.register_buffer("{self.name}", {self.value}, persistent=False)'
            case Kind.GUARD if here:
                return f"{self.name} = {self.name}.to({here})"
            case Kind.GUARD:
                return spelling.moved(self.name, self.indent)
            case Kind.KEYWORD:
                return f", device={place}"
        return spelling.suffix(place)

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


_NEEDED_FOR: Final = MappingProxyType(
    {
        Spelling.GUARDED: "use_cuda",
        Spelling.TERNARY: "on_gpu",
        Spelling.ARGUMENT: "args.device",
        Spelling.OPTION: "args.cuda",
        Spelling.HELPER: "to_cuda",
    }
)


def _heading(spelling: Spelling, body: str) -> str:
    """What the program defines before it moves anything."""
    needed = spelling in _NEEDED_FOR and _NEEDED_FOR[spelling] in body
    lines = [spelling.value] if needed else []
    if _DEVICE.search(body):
        lines.append((spelling if spelling is Spelling.TEXT else Spelling.VARIABLE).value)
    return "".join(lines)
