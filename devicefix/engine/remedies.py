"""Whether `apply` would mend what a program has stumbled over, and how."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from devicefix.engine.errors import EngineError
from devicefix.engine.explaining import Asked, explain
from devicefix.engine.report import Change, FileResult, Report
from devicefix.engine.runner import apply
from devicefix.findings import Finding
from devicefix.records import Failure, Frame, Place
from devicefix.records.placement import HOST
from devicefix.settings import Settings
from devicefix.source import NOTEBOOK, Source

_LIBRARY: Final = re.compile(r"[/\\\\](site-packages|dist-packages|lib(64)?/python3\.\d+)[/\\\\]")
"""In the path of a file that is none of the user's."""

_MOVING: Final = ("DFX1", "DFX4")
"""The families that bring tensors together; the others make a line portable, and leave it wrong."""

Spot = tuple[str, int | None, int]
"""A file, by its real path, the cell of a notebook, and a line, 1-based."""
_CELL: Final = re.compile(r"(.+\.ipynb):cell (\d+)")
"""What the runner of notebooks calls the code of a cell."""


class ChangedLines(Struct, frozen=True):
    """Lines that the fix replaces; nothing before where it only adds."""

    path: str
    line: int
    """1-based, in the file as it is, or in the cell."""
    before: tuple[str, ...]
    after: tuple[str, ...]
    cell: int | None = None


class Remedy(Struct, frozen=True):
    """What devicefix has to say about some lines of a program."""

    codes: tuple[str, ...]
    """The rules that found something there."""
    paths: tuple[str, ...]
    """What `apply` has to be given."""
    left: str | None
    """Why `apply` leaves it; None where it mends it."""
    changes: tuple[ChangedLines, ...]
    """Of the lines in question only."""
    rewritten: tuple[tuple[str, bytes, bytes], ...] = ()
    """The files that `apply` changes: path, as it is, as it would be."""
    helps: bool | None = None
    """Whether the program comes past the line with it; None where nobody has tried."""


def remedy(failure: Failure, settings: Settings) -> Remedy | None:
    """What `apply` would do about ``failure``; None where it finds nothing that has to do with it.

    Nothing is written. The user's files on the way to the failure are looked at together, as
    `apply` would do.
    """
    paths = files_of(failure)
    settings = replace(settings, baseline="")  # it fails now
    try:
        report = apply(paths, settings, dry_run=True)
    except EngineError:
        return None
    shown = tuple(map(str, paths))
    found = (_remedy(report, shown, spots) for spots in _spots(failure, paths, settings))
    return next((remedy for remedy in found if remedy is not None), None)


def files_of(failure: Failure) -> tuple[Path, ...]:
    """The user's files that have to do with ``failure``: those of the traceback come first."""
    made = [place for o in failure.operands for place in (o.created, o.moved)]
    places = (place for place in (*failure.traceback, failure.at, *made) if place is not None)
    files = dict.fromkeys(os.path.realpath(_split(place.file)[0]) for place in places)
    return tuple(_shown(file) for file in files if _is_the_users(file))


def _shown(file: str) -> Path:
    """As one would write it here."""
    path = Path(file)
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _is_the_users(file: str) -> bool:
    return file.endswith((".py", NOTEBOOK)) and Path(file).is_file() and not _LIBRARY.search(file)


def _split(file: str) -> tuple[str, int | None]:
    """The file that a piece of code came from, and the cell of a notebook."""
    found = _CELL.fullmatch(file)
    return (found[1], int(found[2])) if found else (file, None)


def _spot(file: str, line: int) -> Spot:
    path, cell = _split(file)
    return os.path.realpath(path), cell, line


def _spots(
    failure: Failure, paths: Sequence[Path], settings: Settings
) -> Iterator[frozenset[Spot]]:
    """Lines of the program where a fix would be, the likeliest first.

    Where the tensors on the host were made or moved to; where it failed; the calls that led there;
    where what meets at that line comes from.
    """
    host = [o for o in failure.operands if o.device == HOST]
    yield _on(place for o in host for place in (o.created, o.moved))
    yield _on([failure.at])
    yield _on(failure.traceback)
    yield _decided(failure, paths, settings)


def _decided(failure: Failure, paths: Sequence[Path], settings: Settings) -> frozenset[Spot]:
    """The lines of the decisions that values of the failing line belong to."""
    if failure.at is None:
        return frozenset()
    file, cell = _split(failure.at.file)
    if not _is_the_users(file):
        return frozenset()
    try:
        asked = Asked(failure.at.line, cell=cell)
        explained = explain(Path(file), asked, paths, settings)
    except EngineError:
        return frozenset()
    findings = (c.finding for concerns in explained.groups.values() for c in concerns)
    return frozenset((os.path.realpath(f.path), f.cell, f.line) for f in findings)


def _on(places: Iterable[Place | Frame | None]) -> frozenset[Spot]:
    found = (place for place in places if place is not None)
    return frozenset(_spot(place.file, place.line) for place in found)


def _remedy(report: Report, paths: tuple[str, ...], wanted: Collection[Spot]) -> Remedy | None:
    applied = [f for result in report.files for f in result.applied if _touches(f, result, wanted)]
    if applied:
        files = tuple((result.path, c.before, c.after) for result, c in report.changes)
        return Remedy(_codes(applied), paths, None, tuple(_changes(report, wanted)), files)
    left = [
        x for result in report.files for x in result.left if _touches(x.finding, result, wanted)
    ]
    if left:
        return Remedy(_codes([x.finding for x in left]), paths, left[0].reason, ())
    return None


def _touches(finding: Finding, result: FileResult, wanted: Collection[Spot]) -> bool:
    """Whether ``finding`` moves something, and is on one of the lines or changes one."""
    if not finding.code.startswith(_MOVING):
        return False
    path = os.path.realpath(finding.path)
    lines = {(finding.cell, finding.line)}
    if result.change is not None and finding.fix is not None:
        source = Source.from_bytes(result.change.before, result.path)
        places = (source.place(edit.start) for edit in finding.fix.edits if not edit.path)
        lines.update((place.cell, place.line) for place in places)
    return any((path, *line) in wanted for line in lines)


def _codes(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(sorted({finding.code for finding in findings}))


def _changes(report: Report, wanted: Collection[Spot]) -> Iterator[ChangedLines]:
    for result, change in report.changes:
        here = os.path.realpath(result.path)
        source = Source.from_bytes(change.before, result.path)
        lines = {_text_line(source, cell, line) for path, cell, line in wanted if path == here}
        for changed in _all_changes(source, change):
            for found in _at(changed, lines):
                place = source.placed(found.line)
                yield replace(found, line=place.line, cell=place.cell)


def _text_line(source: Source, cell: int | None, line: int) -> int:
    """The line of the text; 0 where there is none."""
    if source.notebook is None or cell is None:
        return line
    try:
        return source.notebook.line(cell, line)
    except ValueError:  # a cell that is left out
        return 0


def _all_changes(old: Source, change: Change) -> Iterator[ChangedLines]:
    """All that changes, by the lines of the texts."""
    new = Source.from_bytes(change.after, old.path)
    before, after = (
        [source.shown_line(line) for line in source.text.splitlines()] for source in (old, new)
    )
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag != "equal":
            yield ChangedLines(
                old.path, start + 1, tuple(before[start:end]), tuple(after[first:last])
            )


def _at(change: ChangedLines, lines: Set[int]) -> Iterator[ChangedLines]:
    """What a change makes of ``lines``, each by itself, or what it adds beside one."""
    if not change.before and not lines.isdisjoint({change.line - 1, change.line}):
        yield replace(change, after=tuple(filter(str.strip, change.after)))
    for number, before in enumerate(change.before, start=change.line):
        if number in lines:
            after = max(change.after, key=partial(_alike, before), default="")
            yield ChangedLines(change.path, number, (before,), (after,) if after else ())


def _alike(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
