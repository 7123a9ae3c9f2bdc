"""What all text output has in common: where it goes, and what may not reach a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_PIPE_WIDTH: Final = 500
"""Columns for tables that nobody watches, so that no cell is cut; rich assumes 80."""

Styled = tuple[str, str]
"""A text and its style; none where that is empty."""


def console(file: TextIO) -> Console:
    """A rich console that never wraps, marks up or guesses; no colour but on a terminal.

    rich itself obeys ``NO_COLOR``.
    """
    from rich.console import Console

    width = None if file.isatty() else _PIPE_WIDTH
    return Console(
        file=file, width=width, soft_wrap=True, markup=False, emoji=False, highlight=False
    )


def print_lines(screen: Console, lines: Iterable[Sequence[Styled]]) -> None:
    """Each line with its styles; ``screen`` comes from `console`, all texts are `printable`.

    rich takes 0.1 ms for a line. What has no colours is written as it is: a report of 30,000 lines
    would take longer than what it tells of.
    """
    if screen.color_system is None:
        screen.file.writelines("".join(text for text, _ in line) + "\n" for line in lines)
        return
    from rich.text import Text

    for line in lines:
        screen.print(Text.assemble(*line))


def printable(text: str) -> str:
    """``text`` on one line, with what could steer a terminal, or break an encoder, escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def complain(line: str) -> None:
    """One line on stderr."""
    sys.stderr.write(printable(line) + "\n")
