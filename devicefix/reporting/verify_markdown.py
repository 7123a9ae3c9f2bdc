"""What a verification found, for the body of a pull request.

Whatever the program says stands between backticks: there it cannot mention people, link to issues
or begin markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import astuple

from devicefix.records import Place
from devicefix.records.placement import HOST
from devicefix.reporting.markup import cell, code, plain, row
from devicefix.reporting.places import percent, where
from devicefix.reporting.verify_words import (
    HEADS,
    Shortfall,
    agreement,
    devices_of,
    differences_of,
    entry_of,
    furthest_off,
    notes_of,
    rows_of,
    shortfalls,
    verdict_of,
)
from devicefix.verification.result import Difference, Verification

_ROWS: Final = 20
_PLACE: Final = 60


def render(verification: Verification, notes: Sequence[str] = ()) -> str:
    """Heading, table, differences, and the rest folded away."""
    return "\n".join(_lines(verification, notes)) + "\n"


def _lines(verification: Verification, notes: Sequence[str]) -> Iterator[str]:
    devices = devices_of(verification)
    on = f" on {plain(devices)}" if devices else ""
    yield f"### devicefix verify: {verdict_of(verification)}"
    yield ""
    yield f"{code(entry_of(verification))}{on}: {plain(verification.reason)}."
    yield ""
    yield from _table(verification)
    for comparison in verification.comparisons:
        off = furthest_off(comparison)
        said = f"{agreement(comparison)}; {off}" if off else agreement(comparison)
        yield f"- **{plain(comparison.device)}**: {plain(said)}"
    for devices, difference in differences_of(verification):
        yield from _difference(devices, difference)
    yield from _details(verification, notes)


def _table(verification: Verification) -> Iterator[str]:
    rows = rows_of(verification, _PLACE)
    if not rows:
        return
    yield row(astuple(HEADS))
    yield row(["---"] * len(astuple(HEADS)))
    for run in rows:
        yield row([plain(text) for text in astuple(run)])
    yield ""


def _difference(devices: str, difference: Difference) -> Iterator[str]:
    yield ""
    heading = "Fails as before" if difference.before == difference.after else "First difference"
    yield f"**{heading} on {plain(devices)}**: {code(difference.what)}"
    yield ""
    yield row(["", "value", "line", "source"])
    yield row(["---"] * 4)
    yield _side("before", difference.before, difference.at_before)
    yield _side("after", difference.after, difference.at_after)
    if difference.detail:
        yield ""
        yield code(difference.detail)


def _side(label: str, value: str, at: Place | None) -> str:
    place, source = (cell(where(at)), cell(at.text)) if at is not None else ("", "")
    return row([label, cell(value) if value else "nothing", place, source])


def _details(verification: Verification, notes: Sequence[str]) -> Iterator[str]:
    found = notes_of(verification, notes)
    left = list(shortfalls(verification))
    if not (found or left or verification.changed):
        return
    yield ""
    yield "<details><summary>Files, lines on the CPU, notes</summary>"
    yield ""
    for shortfall in left:
        yield from _shortfall(shortfall)
    for name in verification.changed[:_ROWS]:
        yield f"- changed: {code(name)}"
    if len(verification.changed) > _ROWS:
        yield f"- and {len(verification.changed) - _ROWS} more files"
    for note in found:
        yield f"- {code(note)}"
    yield ""
    yield "</details>"


def _shortfall(shortfall: Shortfall) -> Iterator[str]:
    yield f"Computed on the CPU, on {plain(shortfall.device)}:"
    yield ""
    for line in shortfall.lines[:_ROWS]:
        share = percent(line.work[HOST], shortfall.total)
        source = f" {code(line.at.text)}" if line.at is not None else ""
        yield f"- {plain(share)} {code(where(line.at))}{source}"
    for module in shortfall.modules[:_ROWS]:
        yield f"- module {code(module.name or module.type)} is on the CPU"
    yield ""
