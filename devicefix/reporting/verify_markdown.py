"""What a verification found, for the body of a pull request.

Whatever the program says stands between backticks: there it cannot mention people, link to issues
or begin markup.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Final

from devicefix.records import Place
from devicefix.records.placement import HOST
from devicefix.reporting.places import percent, where
from devicefix.reporting.terminal import printable
from devicefix.reporting.verify_words import (
    HEADS,
    Shortfall,
    agreement,
    devices_of,
    differences_of,
    entry_of,
    notes_of,
    rows_of,
    shortfalls,
    verdict_of,
)
from devicefix.verification.result import Difference, Verification

_TICKS: Final = re.compile(r"`+")
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>|~&])")
_REFERENCE: Final = re.compile(r"([@#])")
_LONGEST: Final = 400
"""Characters of a value."""
_ROWS: Final = 20
_PLACE: Final = 60


def render(verification: Verification, notes: Sequence[str] = ()) -> str:
    """Heading, table, differences, and the rest folded away."""
    return "\n".join(_lines(verification, notes)) + "\n"


def _lines(verification: Verification, notes: Sequence[str]) -> Iterator[str]:
    devices = devices_of(verification)
    on = f" on {_text(devices)}" if devices else ""
    yield f"### devicefix verify: {verdict_of(verification)}"
    yield ""
    yield f"{_code(entry_of(verification))}{on}: {_text(verification.reason)}."
    yield ""
    yield from _table(verification)
    for comparison in verification.comparisons:
        yield f"- **{_text(comparison.device)}**: {_text(agreement(comparison))}"
    for devices, difference in differences_of(verification):
        yield from _difference(devices, difference)
    yield from _details(verification, notes)


def _table(verification: Verification) -> Iterator[str]:
    rows = rows_of(verification, _PLACE)
    if not rows:
        return
    yield _cells(dataclasses.astuple(HEADS))
    yield _cells(["---"] * len(dataclasses.astuple(HEADS)))
    for row in rows:
        yield _cells([_text(cell) for cell in dataclasses.astuple(row)])
    yield ""


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _difference(devices: str, difference: Difference) -> Iterator[str]:
    yield ""
    yield f"**First difference on {_text(devices)}**: {_code(difference.what)}"
    yield ""
    yield _cells(["", "value", "line", "source"])
    yield _cells(["---"] * 4)
    yield _side("before", difference.before, difference.at_before)
    yield _side("after", difference.after, difference.at_after)
    if difference.detail:
        yield ""
        yield _code(difference.detail)


def _side(label: str, value: str, at: Place | None) -> str:
    place, source = (_cell(where(at)), _cell(at.text)) if at is not None else ("", "")
    return _cells([label, _cell(value) if value else "nothing", place, source])


def _details(verification: Verification, notes: Sequence[str]) -> Iterator[str]:
    found = notes_of(verification, notes)
    left = list(shortfalls(verification))
    if not (found or left or verification.changed):
        return
    yield ""
    yield "<details><summary>Files, lines on the host, notes</summary>"
    yield ""
    for shortfall in left:
        yield from _shortfall(shortfall)
    for name in verification.changed[:_ROWS]:
        yield f"- changed: {_code(name)}"
    if len(verification.changed) > _ROWS:
        yield f"- and {len(verification.changed) - _ROWS} more files"
    for note in found:
        yield f"- {_code(note)}"
    yield ""
    yield "</details>"


def _shortfall(shortfall: Shortfall) -> Iterator[str]:
    yield f"Computed on the host, on {_text(shortfall.device)}:"
    yield ""
    for line in shortfall.lines[:_ROWS]:
        share = percent(line.work[HOST], shortfall.total)
        source = f" {_code(line.at.text)}" if line.at is not None else ""
        yield f"- {_text(share)} {_code(where(line.at))}{source}"
    for module in shortfall.modules[:_ROWS]:
        yield f"- module {_code(module.name or module.type)} is on the host"
    yield ""


def _text(text: str) -> str:
    """Plain words, with what markdown would read as markup escaped.

    An escaped ``@`` or ``#`` would still mention somebody, or something.
    """
    escaped = _MARKUP.sub(r"\\\1", printable(text))
    return _REFERENCE.sub(r"\1&#8203;", escaped)


def _code(text: str) -> str:
    """A code span, fenced by more backticks than it has in a row."""
    shown = printable(text)
    if len(shown) > _LONGEST:
        shown = shown[: _LONGEST - 1] + "…"
    longest = max(map(len, _TICKS.findall(shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if not shown or shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _cell(text: str) -> str:
    """A code span in a table, whose columns are told first."""
    return _code(text).replace("|", "\\|")
