"""Tabs beside spaces, as Python 2 reads them: a tab goes to the next multiple of eight.

Python 3 refuses indentation whose depth depends on how wide a tab is
(docs.python.org/3/reference/lexical_analysis.html#indentation).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from devicefix.source.lexing import tokens

_INDENT: Final = re.compile(r"(\f*)([ \t]*)")
_TAB: Final = 8


def spaced(text: str) -> str:
    """``text`` with an indentation that Python 3 takes; the same text where it takes that."""
    if not _is_mixed(text):
        return text
    lines = text.split("\n")
    own = [number for number in _beginnings(text) if lines[number].strip()]
    with_spaces = list(map(_in_spaces, lines))
    with_tabs = list(map(_in_tabs, lines))
    even = all(_width(lines[number]) % _TAB == 0 for number in own)
    if even and _changed(lines, with_tabs, own) < _changed(lines, with_spaces, own):
        return _joined(lines, with_tabs, own)
    return _joined(lines, with_spaces, own)


def _is_mixed(text: str) -> bool:
    if not re.search(r"^[ \f]*\t", text, re.MULTILINE):
        return False
    try:
        compile(text, "<text>", "exec", dont_inherit=True)
    except TabError:
        return True
    except (SyntaxError, ValueError):
        # something else keeps it from being parsed, and may come first
        return bool(re.search(r"^ +\S", text, re.MULTILINE))
    return False


def _beginnings(text: str) -> Iterator[int]:
    """The numbers of the lines that do not begin within a string."""
    line = 0
    inside: set[int] = set()
    for token in tokens(text):
        ends = token.text.count("\n")
        if token.kind == "string":
            inside.update(range(line + 1, line + ends + 1))
        line += ends
    return (number for number in range(line + 1) if number not in inside)


def _width(line: str) -> int:
    width = 0
    for character in _INDENT.match(line)[2]:  # type: ignore[index]
        width = width + 1 if character == " " else (width // _TAB + 1) * _TAB
    return width


def _in_spaces(line: str) -> str:
    match = _INDENT.match(line)
    assert match is not None
    return match[1] + " " * _width(line) + line[match.end() :]


def _in_tabs(line: str) -> str:
    match = _INDENT.match(line)
    assert match is not None
    return (
        match[1] + "\t" * (_width(line) // _TAB) + " " * (_width(line) % _TAB) + line[match.end() :]
    )


def _changed(old: list[str], new: list[str], own: list[int]) -> int:
    return sum(old[number] != new[number] for number in own)


def _joined(old: list[str], new: list[str], own: list[int]) -> str:
    lines = list(old)
    for number in own:
        lines[number] = new[number]
    return "\n".join(lines)
