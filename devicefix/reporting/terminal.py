"""What all text output has in common: where it goes, and what may not reach a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_PIPE_WIDTH: Final = 500
"""Columns for tables that nobody watches, so that no cell is cut; rich assumes 80."""


def console(file: TextIO) -> Console:
    """A rich console that never wraps, marks up or guesses; no colour but on a terminal.

    rich itself obeys ``NO_COLOR``.
    """
    from rich.console import Console

    width = None if file.isatty() else _PIPE_WIDTH
    return Console(
        file=file, width=width, soft_wrap=True, markup=False, emoji=False, highlight=False
    )


def printable(text: str) -> str:
    """``text`` on one line, with what could steer a terminal, or break an encoder, escaped."""
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def complain(line: str) -> None:
    """One line on stderr."""
    sys.stderr.write(printable(line) + "\n")
