"""IPython's own syntax among the lines of a cell: magics, shell lines, questions.

What a line is IPython decides where a statement may begin, by the first characters, before Python
sees anything (`IPython.core.inputtransformer2`,
https://ipython.readthedocs.io/en/stable/config/inputtransforms.html). So does this.

Standard library only: the runner of notebooks loads it in the user's interpreter.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_PIECE: Final = re.compile(
    r"""[#][^\r\n]*
    |\"\"\"(?:\\[\s\S]|(?!\"\"\")[^\\])*(?:\"\"\"|\Z)
    |'''(?:\\[\s\S]|(?!''')[^\\])*(?:'''|\Z)
    |"(?:\\(?:\r\n|[\s\S])|[^"\\\r\n])*"?
    |'(?:\\(?:\r\n|[\s\S])|[^'\\\r\n])*'?
    |\\(?:\r\n|\r|\n)
    |\r\n|[^#"'()\[\]{}\\\r\n]+|[\s\S]""",
    re.VERBOSE,
)
"""What a logical line consists of; strings and comments in one piece."""
_ASSIGNED: Final = re.compile(r"(\s*[\w.,*\[\] \t]+?=[ \t]*)(!|%(?=[A-Za-z%]))")
_TIMED: Final = re.compile(
    r"([ \t]*)(%(?:time|timeit|prun|memit|snakeviz)[ \t]+"
    r"(?:-(?:[nrpls][ \t]*[\w.]+|[tcqovDT]+)[ \t]+)*)(?=[^\s-])"
)
"""A magic in front of a statement that runs where it stands."""
_PYTHON_CELL: Final = re.compile(r"%%(?:time|timeit|capture|prun|memit|snakeviz|wandb)\b")
"""Cell magics below which there is Python that runs in the kernel's own namespace."""
_AUTOMATIC: Final = re.compile(
    r"[ \t]*(?:(?:pip|conda|mamba)[ \t]+(?:install|uninstall|list|show|freeze)\b"
    r"|(?:cd|ls|mkdir|rm|cp|mv|cat|load_ext|run|env|matplotlib|pylab)[ \t]+[-\w./~])"
)
"""Magics that IPython understands without their percent sign, if it is no Python."""
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")


@dataclass(frozen=True, slots=True)
class Escape:
    """Lines of a cell that are IPython's."""

    first: int
    """Number of the first line, from 0."""
    last: int
    """Of the last one: a line may be continued by a backslash."""
    indent: str
    target: str = ""
    """``x =``, where the result is given a name."""
    lists: bool = False
    """Whether that is a list of lines: what a shell command prints."""
    prefix: str = ""
    """The magic in front of a statement of Python; only then there is one."""


def is_foreign(cell: str) -> bool:
    """Whether the whole cell is none of the program: another language, or another process."""
    text = cell.lstrip()
    return text.startswith("%%") and not _PYTHON_CELL.match(text)


def split(text: str) -> list[str]:
    """The lines of ``text``, with their ends."""
    ends = [match.end() for match in _LINE_END.finditer(text)]
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True) if b > a]


def escapes(lines: Sequence[str]) -> Iterator[Escape]:
    """What is IPython's among the ``lines`` of a cell, which keep their line ends."""
    text = "".join(lines)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    at = 0
    in_body = False  # a cell magic stands on the first line that is not blank
    while at < len(lines):
        cell_magic = not in_body and lines[at].startswith("%%")
        in_body = in_body or bool(lines[at].strip())
        found = None if cell_magic else _escape(lines, at)
        if cell_magic:
            found = Escape(at, at, "")
        end, asks = _logical_end(text, starts[at])
        if found is None and asks:
            last = next(n for n, start in enumerate(starts) if start >= end) - 1
            found = Escape(at, last, _indent(lines[at]))
        if found is not None:
            yield found
            at = found.last + 1
        else:
            at = next((n for n, start in enumerate(starts) if n > at and start >= end), len(lines))


def _escape(lines: Sequence[str], at: int) -> Escape | None:
    """What begins on a line where a statement may begin."""
    line = lines[at]
    last = at
    while last + 1 < len(lines) and lines[last].rstrip("\r\n").endswith("\\"):
        last += 1
    timed = _TIMED.match(line)
    if timed is not None and last == at and _is_python(line[timed.end() :]):
        return Escape(at, at, timed[1], prefix=timed[2])
    if line.lstrip(" \t").startswith(("%", "!", "?")):
        return Escape(at, last, _indent(line))
    assigned = _ASSIGNED.match(line)
    if assigned is not None and _is_python(f"{assigned[1].strip()} 0"):
        return Escape(at, last, _indent(line), assigned[1].strip(), assigned[2] == "!")
    if _AUTOMATIC.match(line) and not _is_python(line):
        return Escape(at, last, _indent(line))
    return None


def _logical_end(text: str, start: int) -> tuple[int, bool]:
    """Where the logical line at ``start`` ends, and whether it ends with a question mark."""
    depth, last = 0, ""
    at = start
    while at < len(text):
        piece = _PIECE.match(text, at)
        assert piece is not None  # any character is a piece
        at = piece.end()
        word = piece[0]
        if _LINE_END.fullmatch(word):
            if depth <= 0:
                break
        elif word in _OPENING:
            depth += 1
        elif word in _CLOSING:
            depth, last = depth - 1, word
        elif not word.startswith(("#", "\\")) and (bare := word.rstrip(" \t;")):
            last = bare[-1]
    return at, last == "?"


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _is_python(line: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(line.strip())
    except (SyntaxError, ValueError):
        return False
    return True
