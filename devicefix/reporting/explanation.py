"""Where the tensors on one line are, for people and for programs. The JSON, version 1::

    {
      "version": 1,
      "command": "explain",
      "path": str, "line": int, "text": str,
      "files": int,                      analysed together
      "notes": [str],                    what holds for the whole line
      "values": [{
        "text": str, "also": [str],      expressions of which this is believed
        "column": int,                   1-based, in characters
        "kind": str, "dtype": str | null,
        "today": str, "after": str,      "CPU", "device", "CPU or device", "unknown"
        "basis": str,                    "inferred", "assumed", "seen" (in a run), "unknown"
        "callers": [spot],               for which calls of the function; empty: for all
        "ways": [[spot]],                from each origin to here
        "uses": [spot], "moves": [spot],
        "notes": [str],
        "seen": [str],                   what runs have seen here; only with evidence
        "findings": [finding]            of the decision that moves it
      }],
      "findings": [finding]              on the line itself
    }

A spot is ``{"path", "line", "text", "what", "place"}``; ``place`` is where the value is from there
on, or has to be, or null. A finding is ``{"path", "line", "column", "code", "message",
"applicability", "left"}``; ``left`` is why `apply` leaves it, or null. Where a line is one of a
notebook, ``"cell"`` besides says of which cell, counted among all of them.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TextIO

from msgspec.structs import replace

from devicefix.engine import Concern, Explained
from devicefix.findings import place_text
from devicefix.reporting.json import cell_of
from devicefix.reporting.left_text import applicability
from devicefix.reporting.terminal import console, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from devicefix.flow.explanation import Belief, Spot

_MOST: Final = 5
"""Meetings, or callers, that are told of one value."""
_LABEL: Final = 8
_PLACES: Final = {"CPU": "on the CPU", "device": "on the device", "unknown": "unknown"}
_TO: Final = {"CPU": "to the CPU", "device": "to the device"}


def show(explained: Explained, out: TextIO) -> None:
    """The line, each value on it, and the findings."""
    screen = console(out)
    here = _place(explained.path, explained.line, explained.cell)
    screen.print(_styled((printable(here), "bold"), f" {printable(explained.text)}"))
    for note in explained.notes:
        screen.print(f"  {printable(note)}")
    for belief in explained.explanation.beliefs if explained.explanation is not None else ():
        screen.print("")
        _show_belief(screen, belief, explained.groups.get(belief.group, ()), here)
    for concerns in dict.fromkeys(explained.groups.values()):
        _show_findings(screen, "One group, applied as a whole or not at all", concerns)
    decided = {c for concerns in explained.groups.values() for c in concerns}
    others = [concern for concern in explained.concerns if concern not in decided]
    _show_findings(screen, "Found on this line", others)


def _show_findings(screen: Console, title: str, concerns: Sequence[Concern]) -> None:
    """The findings, with the reason why they are left, said once if it is the same for all."""
    if not concerns:
        return
    reasons = {concern.left for concern in concerns}
    common = reasons.pop() if len(reasons) == 1 else None
    screen.print("")
    screen.print(_styled((f"{title}{', not fixed' if common else ''}:", "bold")))
    for concern in concerns:
        screen.print(f"  {printable(_finding(concern))}")
        if concern.left is not None and common is None:
            screen.print(f"    {printable(concern.left)}")
    if common is not None:
        screen.print(f"  {printable(common)}")


def _show_belief(screen: Console, belief: Belief, concerns: tuple[Concern, ...], here: str) -> None:
    kind = ", ".join(filter(None, (belief.kind, belief.dtype)))
    names = ", ".join((belief.text, *belief.also))
    screen.print(_styled((printable(names), "bold cyan"), f"  {kind}"))
    rows = list(_rows(belief, concerns, here))
    width = max(len(row.where) for row in rows)
    for row in rows:
        where = f"{row.where:{width}}  " if row.where else ""
        line = _styled(
            (f"  {row.label:{_LABEL}}", "dim"),
            printable(f"{where}{row.what}"),
            (printable(f": {row.text}" if row.text else ""), "dim"),
        )
        # on a terminal the columns stay readable: the text of a line gives way
        if row.text and screen.is_terminal:
            screen.print(line, soft_wrap=False, no_wrap=True, overflow="ellipsis")
        else:
            screen.print(line)


class _Row(NamedTuple):
    label: str
    what: str
    where: str = ""
    text: str = ""


def _rows(belief: Belief, concerns: tuple[Concern, ...], here: str) -> Iterator[_Row]:
    yield from _of_spots("when", [[spot] for spot in belief.callers[:_MOST]], here)
    yield from _more(belief.callers)
    yield _Row("names" if belief.kind == "device" else "where", _lives(belief))
    for way in belief.ways:
        together = itertools.groupby(way, key=_where)
        yield from _of_spots("from", [list(spots) for _, spots in together], here)
    yield from _of_spots("used", [[spot] for spot in belief.meets[:_MOST]], here)
    yield from _more(belief.meets)
    moves = [[replace(spot, place="")] for spot in belief.moves]
    yield from _of_spots("moved", moves, here)
    for number, fact in enumerate(belief.seen):
        yield _Row("" if number else "seen", f"{fact} (in a run)")
    for number, note in enumerate(belief.notes):
        yield _Row("" if number else "because", note)
    yield from _fixes(belief, concerns)


def _more(spots: Sequence[Spot]) -> Iterator[_Row]:
    if len(spots) > _MOST:
        yield _Row("", f"and {len(spots) - _MOST} more")


def _of_spots(label: str, lines: Sequence[Sequence[Spot]], here: str) -> Iterator[_Row]:
    """A row for the spots of each line of the program; the first has the label."""
    for number, spots in enumerate(lines):
        where = _where(spots[0])
        text = "" if where == here else spots[0].text
        what = "; ".join(dict.fromkeys(map(_what, spots)))
        yield _Row("" if number else label, what, where, text)


def _what(spot: Spot) -> str:
    if not spot.place:
        return spot.what
    places = _TO if spot.moves else _PLACES
    return f"{spot.what}, {places.get(spot.place, spot.place)}"


def _fixes(belief: Belief, concerns: tuple[Concern, ...]) -> Iterator[_Row]:
    """The findings at places that the value comes through; the others are told further below."""
    spots = [*belief.moves, *(spot for way in belief.ways for spot in way)]
    passed = {(spot.path, spot.cell, spot.line) for spot in spots}
    every = (c.finding for c in concerns)
    near = [f for f in every if (f.path, f.cell, f.line) in passed]
    for number, finding in enumerate(near):
        where = _place(finding.path, finding.line, finding.cell)
        yield _Row("" if number else "fix", f"{finding.code} {finding.message}", where)
    if concerns and not near:
        yield _Row("fix", "follows from the group below")


def _lives(belief: Belief) -> str:
    if belief.kind == "device":
        return {"unknown": "an unknown device"}.get(belief.today, f"the {belief.today}")
    today = _PLACES.get(belief.today, belief.today)
    if belief.today == belief.after:
        return today
    return f"{today} now, {_PLACES.get(belief.after, belief.after)} after the fix"


def _where(spot: Spot) -> str:
    return _place(spot.path, spot.line, spot.cell)


def _place(path: str, line: int, cell: int | None) -> str:
    return place_text(_near(path), line, cell=cell)


def _near(path: str) -> str:
    """``path`` as seen from here: the project may have been entered from further up."""
    return path if Path(path).is_absolute() else os.path.relpath(path)


def _finding(concern: Concern) -> str:
    finding = concern.finding
    place = f"{_place(finding.path, finding.line, finding.cell)}:{finding.column}"
    sure = applicability(finding).name.lower()
    return f"{place} {finding.code} {finding.message} [{sure}]"


def _styled(*parts: str | tuple[str, str]) -> Text:
    from rich.text import Text

    return Text.assemble(*parts)


# -- for programs --------------------------------------------------------------------------------


def render(explained: Explained) -> str:
    """The same as one JSON object."""
    beliefs = explained.explanation.beliefs if explained.explanation is not None else ()
    content = {
        "version": 1,
        "command": "explain",
        "path": _near(explained.path),
        "line": explained.line,
        **cell_of(explained.cell),
        "text": explained.text,
        "files": explained.files,
        "notes": list(explained.notes),
        "values": [_value(belief, explained.groups.get(belief.group, ())) for belief in beliefs],
        "findings": [_concern(concern) for concern in explained.concerns],
    }
    return json.dumps(content, indent=2)


def _value(belief: Belief, concerns: tuple[Concern, ...]) -> dict[str, Any]:
    return {
        "text": belief.text,
        "also": list(belief.also),
        "column": belief.column,
        "kind": belief.kind,
        "dtype": belief.dtype or None,
        "today": belief.today,
        "after": belief.after,
        "basis": belief.basis,
        "callers": [_spot(spot) for spot in belief.callers],
        "ways": [[_spot(spot) for spot in way] for way in belief.ways],
        "uses": [_spot(spot) for spot in belief.meets],
        "moves": [_spot(spot) for spot in belief.moves],
        "notes": list(belief.notes),
        **({"seen": list(belief.seen)} if belief.seen else {}),
        "findings": [_concern(concern) for concern in concerns],
    }


def _spot(spot: Spot) -> dict[str, Any]:
    return {
        "path": _near(spot.path),
        "line": spot.line,
        **cell_of(spot.cell),
        "text": spot.text,
        "what": spot.what,
        "place": spot.place or None,
    }


def _concern(concern: Concern) -> dict[str, Any]:
    finding = concern.finding
    return {
        "path": _near(finding.path),
        "line": finding.line,
        **cell_of(finding.cell),
        "column": finding.column,
        "code": finding.code,
        "message": finding.message,
        "applicability": applicability(finding).name.lower(),
        "left": concern.left,
    }
