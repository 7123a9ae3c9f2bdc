"""What a verification found, on one screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from msgspec.structs import astuple

from devicefix.records import Place
from devicefix.records.placement import HOST
from devicefix.reporting.places import percent, short_where, source_of
from devicefix.reporting.terminal import console, printable
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
from devicefix.verification.result import Difference, Verdict, Verification

if TYPE_CHECKING:
    from rich.text import Text

_WIDTH: Final = 100
_LINES: Final = 3
_MODULES: Final = 4
_NOTES: Final = 3
_HEIGHT: Final = 25
_PLACE: Final = 28
"""Columns for the place of an error in the table."""
_WRAPPED: Final = 2
"""Lines of a sentence."""
_GOOD: Final = "bold green"
_BAD: Final = "bold red"


def show_verification(verification: Verification, file: TextIO, notes: Sequence[str] = ()) -> None:
    """The verdict, a table of the runs, the first differences, and what is off.

    At most 25 lines, unless many devices were asked for. ``notes`` are shown besides those of the
    verification.
    """
    screen = console(file)
    width = min(screen.width, _WIDTH)
    lines = list(_main_lines(verification, width))
    for section in _more(verification, notes, width):
        if len(lines) + len(section) <= _HEIGHT:
            lines += section
    for line in lines:
        line.truncate(width, overflow="ellipsis")
        screen.print(line)


def _main_lines(verification: Verification, width: int) -> Iterator[Text]:
    yield _headline(verification)
    yield from _wrapped(verification.reason, width)
    yield from _table(verification)
    for comparison in verification.comparisons:
        yield _plain(f"{comparison.device}: {agreement(comparison)}")
        off = furthest_off(comparison)
        if off:
            yield _plain(f"  {off}")


def _more(verification: Verification, notes: Sequence[str], width: int) -> Iterator[Sequence[Text]]:
    """Sections that are shown where there is room, the most important first."""
    for devices, difference in differences_of(verification):
        yield list(_difference(devices, difference, width))
    for shortfall in shortfalls(verification):
        yield list(_shortfall(shortfall))
    for note in notes_of(verification, notes)[:_NOTES]:
        yield [_plain(f"note: {printable(note)}")]


def _headline(verification: Verification) -> Text:
    from rich.text import Text

    style = _GOOD if verification.verdict is Verdict.PASS else _BAD
    devices = devices_of(verification)
    where = f" on {devices}" if devices else ""
    said = verdict_of(verification)
    return Text.assemble((said, style), f": {entry_of(verification)}{where}")


def _table(verification: Verification) -> Iterator[Text]:
    rows = [astuple(row) for row in (HEADS, *rows_of(verification, _PLACE))]
    if len(rows) == 1:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield _plain(f"  {'  '.join(cells)}".rstrip(), "" if number else "dim")


def _difference(devices: str, difference: Difference, width: int) -> Iterator[Text]:
    heading = "fails as before" if difference.before == difference.after else "first difference"
    yield _plain(f"{heading} on {devices}: {printable(difference.what)}", "bold")
    for label, value, at in _sides(difference):
        yield _plain(f"  {label}  {printable(value) or 'nothing'}")
        if at is not None:
            yield _plain(f"          {short_where(at)}  {source_of(at)}", "dim")
    if difference.detail:
        yield from _wrapped(difference.detail, width, "  ")


def _wrapped(text: str, width: int, indent: str = "") -> Iterator[Text]:
    """A sentence on as many lines as it may have."""
    import textwrap

    lines = textwrap.wrap(
        printable(text), max(width - len(indent), 20), max_lines=_WRAPPED, placeholder=" …"
    )
    yield from (_plain(f"{indent}{line}") for line in lines)


def _sides(difference: Difference) -> tuple[tuple[str, str, Place | None], ...]:
    return (
        ("before", difference.before, difference.at_before),
        ("after ", difference.after, difference.at_after),
    )


def _shortfall(shortfall: Shortfall) -> Iterator[Text]:
    if shortfall.lines:
        yield _plain(f"computed on the CPU on {shortfall.device}", "bold")
    for line in shortfall.lines[:_LINES]:
        share = percent(line.work[HOST], shortfall.total)
        yield _plain(f"  {share:>7}  {short_where(line.at)}  {source_of(line.at)}")
    if shortfall.modules:
        names = [printable(module.name) or module.type for module in shortfall.modules]
        more = f" and {len(names) - _MODULES} more" if len(names) > _MODULES else ""
        yield _plain(f"  modules on the CPU: {', '.join(names[:_MODULES])}{more}")


def _plain(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(text, style)
