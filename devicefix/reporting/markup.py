"""Words and code in Markdown as GitHub reads it, so that neither can become markup.

What a program, a file name or a commit says stands between backticks, or is escaped: it cannot
mention people, link, refer to issues or begin HTML (https://github.github.com/gfm).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from devicefix.reporting.terminal import printable

_TICKS: Final = re.compile(r"`+")
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>|~&$])")
_REFERENCE: Final = re.compile(
    r"[@#]|:(?=//)|www(?=\.)|GH(?=-)|[0-9a-f]{6}(?=[0-9a-f])", re.IGNORECASE
)
"""What GitHub makes a link of; an escaped ``@`` or ``#`` would still mention somebody."""
_LIST: Final = re.compile(r"^([-+=>]|\d+(?=[.)](?:\s|$)))")
_SPOKEN: Final = re.compile(r"`([^`]+)`")
_LONGEST: Final = 400
"""Characters of a value."""


def plain(text: str) -> str:
    """Plain words, with what Markdown would read as markup escaped."""
    escaped = _MARKUP.sub(r"\\\1", printable(text))
    return _LIST.sub(r"&#8203;\1", _REFERENCE.sub(r"\g<0>&#8203;", escaped))


def code(text: str) -> str:
    """A code span, fenced by more backticks than it has in a row."""
    shown = printable(text)
    if len(shown) > _LONGEST:
        shown = shown[: _LONGEST - 1] + "…"
    longest = max(map(len, _TICKS.findall(shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if not shown or shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def cell(text: str) -> str:
    """A code span in a table, whose columns are told first."""
    return code(text).replace("|", "\\|")


def sentence(text: str, spelled: Callable[[str], str] = code) -> str:
    """Words with code in them, as messages have it between backticks; in a table as `cell`."""
    parts = _SPOKEN.split(text)
    return "".join(spelled(part) if at % 2 else plain(part) for at, part in enumerate(parts))


def row(cells: Sequence[str]) -> str:
    """One row of a table."""
    return f"| {' | '.join(cells)} |"
