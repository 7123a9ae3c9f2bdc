"""Printed text, read as a person does: numbers are numbers, the name of a device is no result."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

_TENSOR_DEVICE: Final = re.compile(r",\s*device='[a-z]+(?::\d+)?'")
"""In a printed tensor, which says where it is unless that is the default."""
_GRAD: Final = re.compile(r"(?<!\s)\s*(?:requires_grad=True|grad_fn=<\w*>)")
"""A leaf that was copied to a device is the result of a copy."""
_WRAPPED: Final = re.compile(r",\n\s+(dtype=|size=|layout=|<grad>)")
"""The end of a printed tensor begins a new line where the device would not fit."""
_OF_TENSORS: Final = (
    ("device=", _TENSOR_DEVICE, ""),
    ("grad", _GRAD, "<grad>"),
    (",\n", _WRAPPED, r", \1"),
)
"""What is read away in printed tensors, each with a text without which it is not there: most lines
of a long output hold none.
"""
_CONTINUED: Final = re.compile(r"\s+(?:device|grad_fn|requires_grad|dtype|size|layout)=")
_END: Final = re.compile(r"\r\n|\r|\n")
_ENDS: Final = re.compile(r"[\r\n]+")
_DEVICE: Final = re.compile(r"(?i)\b(?:cuda|mps|xpu|npu|cpu|gpu)(?::\d+)?\b")
_DEVICE_MARK: Final = "\N{WHITE SQUARE}"
"""Stands for the name of a device."""

_UNIT: Final = r"[nmuµ]?s|min|hr?s?|sec|px|fps|it|[xX]|[kKMGT](?:i?B)?|(?:[kKMGT]i?)?B"
"""What may stand behind a number without a space. Not any letters: ``9f264ac`` is no number."""

_TOKEN: Final = re.compile(
    rf"""
      (?P<number> (?<![\w.]) [-+]? (?:\d+\.?\d*|\.\d+) (?:[eE][-+]?\d+)? (?!\.?\w) )
    | (?P<measure> (?<![\w.]) [-+]? \d+(?:\.\d+)? (?= (?:%|{_UNIT}) (?!\w) ) )
    | (?P<special> (?<!\w) [-+]? (?:nan|inf) (?!\w) )
    | (?P<word> \w+ )
    | (?P<other> \S )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A number, a word or a sign."""

    text: str
    number: float | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it is a number without a fraction: a count, not a measurement."""
        return self.number is not None and not set(self.text) & set(".eEni")

    @property
    def unit(self) -> float:
        """The weight of the last digit that was printed."""
        mantissa, _, exponent = self.text.lower().partition("e")
        decimals = len(mantissa.partition(".")[2])
        return float(10.0 ** (int(exponent or 0) - decimals))


@dataclass(frozen=True)
class Line:
    """One line of output, without the names of devices and the width of its spaces."""

    text: str

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """What it says."""
        return tuple(_token(found) for found in _TOKEN.finditer(self.text))

    @cached_property
    def skeleton(self) -> str:
        """The same for lines that differ in numbers only."""
        return " ".join("#" if t.number is not None else t.text for t in self.tokens)

    @property
    def names_a_device(self) -> bool:
        """Whether the name of a device was in it."""
        return _DEVICE_MARK in self.text


def _token(found: re.Match[str]) -> Token:
    text = found[0]
    if found.lastgroup in {"number", "measure", "special"}:
        return Token(text, float(text))
    return Token(text)


def continues(text: str) -> bool:
    """Whether ``text`` at the beginning of a line is the end of a printed tensor."""
    return _CONTINUED.match(text) is not None


def lines_of(text: str, names: Iterable[str] = ()) -> list[Line]:
    """The lines of ``text`` that say something.

    ``names`` are further names of devices: those that the program was told.
    What a carriage return has overwritten counts: a progress bar shows results, too.
    """
    found = _read_away(text, names).strip()
    several = "\n" in found or "\r" in found
    lines = (line.strip() for line in (_ENDS.split(found) if several else (found,)))
    return [Line(line) for line in lines if line]


def all_lines_of(text: str, names: Iterable[str] = ()) -> list[Line]:
    """As `lines_of`, with those that are empty: of a file somebody reads each."""
    found = _read_away(text, names)
    lines = _END.split(found) if found else []
    if lines and not lines[-1]:
        lines.pop()  # behind the end of the last line
    return [Line(line.strip()) for line in lines]


def _read_away(text: str, names: Iterable[str]) -> str:
    """``text`` without what says where tensors are."""
    found = text
    for name in names:
        found = found.replace(name, _DEVICE_MARK)
    for sign, pattern, instead in _OF_TENSORS:
        if sign in found:
            found = pattern.sub(instead, found)
    return _DEVICE.sub(_DEVICE_MARK, found)
