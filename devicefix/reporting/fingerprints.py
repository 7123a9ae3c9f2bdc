"""The hash by which GitHub recognises a line when a file has changed around it.

It is one of the 100 characters from the start of the line on, blanks left out and line ends made
alike; equal ones are numbered. GitHub's upload action computes it where a report has none, and
complains where a report has another one
(https://github.com/github/codeql-action/blob/main/src/fingerprints.ts).
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterator
from typing import Final

_WIDTH: Final = 100
_BASE: Final = 37
_BITS: Final = (1 << 64) - 1
_FIRST: Final = pow(_BASE, _WIDTH, 1 << 64)
_END: Final = 0xFFFF
"""Stands behind the last character."""
_LF: Final = 10
_LINE_END: Final = re.compile(r"\r\n?")


def line_hashes(data: bytes) -> dict[int, str]:
    """By 1-based line of a file what GitHub calls its ``primaryLocationLineHash``."""
    text = re.sub(_LINE_END, "\n", data.decode("utf-8", "replace"))
    encoded = re.sub("[ \t]", "", text).encode("utf-16-le", "surrogatepass")
    units = [unit for (unit,) in struct.iter_unpack("<H", encoded)]
    units.append(_END)
    seen: Counter[int] = Counter()
    found: dict[int, str] = {}
    for line, value in enumerate(_values(units), start=1):
        seen[value] += 1
        found[line] = f"{value:x}:{seen[value]}"
    return found


def _values(units: list[int]) -> Iterator[int]:
    """The hash of the window that begins at each start of a line."""
    padded = [*units, *[0] * _WIDTH]
    value = 0
    for unit in padded[:_WIDTH]:
        value = (value * _BASE + unit) & _BITS
    for at in range(len(units)):
        if at == 0 or units[at - 1] == _LF:
            yield value
        value = (value * _BASE + padded[at + _WIDTH] - _FIRST * padded[at]) & _BITS
