"""What is believed about one line of a project, and which findings concern it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct, field

from devicefix.engine.discovery import discover, reason_of
from devicefix.engine.errors import EngineError, PlaceError
from devicefix.engine.interpreter import at_work
from devicefix.engine.nearby import project_of
from devicefix.engine.overlay import Overlay
from devicefix.engine.projects import Plan, plans
from devicefix.engine.reading import Scan, load, scan
from devicefix.engine.report import FileFailedError, Left
from devicefix.engine.work import bounded, complaint, loaded
from devicefix.findings import Finding, place_text
from devicefix.settings import Settings
from devicefix.source import Program, Source, SourceError

if TYPE_CHECKING:
    from devicefix.engine.groups import Triage
    from devicefix.engine.preparing import Prepared
    from devicefix.engine.workbench import Workbench
    from devicefix.flow.explanation import Belief, Explainer, Explanation


class Asked(Struct, frozen=True):
    """A place that somebody asks about, 1-based."""

    line: int
    column: int | None = None
    cell: int | None = None
    """Of a notebook, counted among all cells; then the line is one of it."""


class Concern(Struct, frozen=True):
    """A finding, and why `apply` leaves it; None where it does not."""

    finding: Finding
    left: str | None


class Explained(Struct, frozen=True):
    """One line: what is believed of it, and what is found there."""

    path: str
    line: int
    """1-based; of the ``cell`` in a notebook."""
    text: str
    files: int
    """How many files were looked at together; 0 where there was nothing to look at."""
    explanation: Explanation | None
    """None where the file has nothing to do with torch."""
    notes: tuple[str, ...]
    """What holds for the whole line."""
    concerns: tuple[Concern, ...] = ()
    """What was found on the line itself."""
    groups: Mapping[str, tuple[Concern, ...]] = field(default_factory=dict)
    """All findings of the decisions that the values on the line belong to, by their name."""
    cell: int | None = None
    """Counted among all cells of a notebook."""


def explain(
    file: Path,
    place: Asked,
    paths: Sequence[Path],
    settings: Settings,
    overlay: Mapping[Path, bytes] = MappingProxyType({}),
) -> Explained:
    """What is believed about a line of ``file`` as a part of its program.

    ``paths`` are what `check` would be given; without any it is the project around the file.
    ``overlay`` as for `check`.

    Raises `PlaceError` where there is no such line, and what `check` raises.
    """
    over = Overlay.of(overlay)
    source, line = _source(file, place, over)
    shown, text = source.placed(line), source.line_text(line)
    paths = paths or (_shown(project_of(file), file),)
    plan = _plan(file, paths, settings, over)
    if plan is None:
        note = "neither this file nor any file that it imports, or that imports it, mentions torch"
        return Explained(str(file), shown.line, text, 0, None, (note,), cell=shown.cell)
    from devicefix.engine.workbench import open_workbench

    return Explaining(plan, open_workbench(settings, None, None)).explain(file, place)


class Explaining:
    """The program of ``plan``, looked at once, whose lines are explained."""

    def __init__(self, plan: Plan, bench: Workbench) -> None:
        self._plan = plan
        self._bench = bench
        self._prepared = bench.prepare(plan.program(loaded(plan)[0], bench.analyst.settings))

    def explain(self, file: Path, place: Asked) -> Explained:
        """What is believed about a line of ``file``, one of those of the program.

        Raises `PlaceError` where there is no such line, and what `check` raises.
        """
        source, line = _source(file, place, self._plan.overlay)
        shown, text = source.placed(line), source.line_text(line)
        real = os.path.realpath(file)
        path = next(p for p in self._plan.paths if os.path.realpath(p) == real)
        for error in self._prepared.unparsed:
            if error.path == path:
                raise PlaceError(str(error))
        program, at = self._prepared.program, _now(self._prepared, source, path, line)
        explanation, triage = self._looked(path, at, place.column)
        skipped = "`# devicefix: skip-file`: nothing in this file is changed"
        notes = (skipped,) if source.suppressions.skip_file else ()
        concerns = _concerns(triage)
        return Explained(
            path=path,
            line=shown.line,
            text=text,
            files=len(program.sources),
            explanation=explanation,
            notes=(*notes, *explanation.notes),
            concerns=tuple(c for c in concerns if _is_on(c.finding, program, path, at)),
            groups=_by_group(explanation.beliefs, concerns, program),
            cell=shown.cell,
        )

    def _looked(self, path: str, line: int, column: int | None) -> tuple[Explanation, Triage]:
        def explained() -> tuple[Explanation, Triage]:
            explainer, triage = self._seen
            return explainer.line(path, line, column), triage

        try:
            with at_work():
                return bounded(explained, self._bench.analyst.settings)
        except EngineError:
            raise
        except Exception as error:  # as in `check`: it is told, not thrown
            raise PlaceError(str(complaint(path, error))) from error

    @cached_property
    def _seen(self) -> tuple[Explainer, Triage]:
        return self._bench.explainer(self._prepared)


def _source(file: Path, place: Asked, overlay: Overlay) -> tuple[Source, int]:
    """The file, and the line of its text that is meant."""
    try:
        if overlay.text(file) is None:
            file.stat()
        source = load(file, overlay)
    except OSError as error:
        raise PlaceError(f"{file}: {reason_of(error)}") from None
    except (FileFailedError, SourceError, RecursionError, MemoryError) as error:
        raise PlaceError(str(complaint(str(file), error))) from None
    line = _line_of(source, file, place)
    start = source.offset(line, 0)
    length = source.line_end(start) - start
    if place.column is not None and not 1 <= place.column <= max(length, 1):
        where = place_text(str(file), place.line, cell=place.cell)
        raise PlaceError(f"{where} has no column {place.column}: it has {length}")
    return source, line


def _line_of(source: Source, file: Path, place: Asked) -> int:
    """The line of the text. Raises `PlaceError` where there is none."""
    if source.notebook is not None:
        if place.cell is None:
            raise PlaceError(f"which cell? devicefix explain {file}:CELL:LINE, of all cells")
        try:
            return source.notebook.line(place.cell, place.line)
        except ValueError as error:
            raise PlaceError(str(error)) from None
    last = source.position(len(source.text))[0]
    if not 1 <= place.line <= last:
        lines = last - source.text.endswith("\n")  # editors show an empty one behind it
        raise PlaceError(f"{file} has no line {place.line}: it has {lines}")
    return place.line


def _now(prepared: Prepared, source: Source, path: str, line: int) -> int:
    """Which line of the text that parses a line of the file is."""
    if path not in prepared.program.sources:
        return line  # it is not to be changed
    end = prepared.places.now(path, source.line_end(source.offset(line, 0)))
    return prepared.program.sources[path].position(end)[0]


def _shown(project: Path, file: Path) -> Path:
    """``project`` as one would write it who writes ``file``."""
    return project if file.is_absolute() else Path(os.path.relpath(project))


def _plan(file: Path, paths: Sequence[Path], settings: Settings, overlay: Overlay) -> Plan | None:
    """The program that the file is a part of, if it has to do with torch."""
    real = os.path.realpath(file)
    found = discover([*paths, file], settings.exclude, overlay).files
    scans = [s for s in (_scanned(path, overlay) for path in found) if s is not None]
    for plan in plans(paths, scans, settings.exclude, overlay, helped=settings.takes_helpers):
        if any(os.path.realpath(path) == real for path in plan.paths):
            return plan
    return None


def _scanned(path: Path, overlay: Overlay) -> Scan | None:
    """None for a file that cannot be read: it is another one than was asked for."""
    try:
        return scan(path, overlay)
    except FileFailedError:
        return None


def _concerns(triage: Triage) -> tuple[Concern, ...]:
    left: dict[Finding, Left] = {x.finding: x for x in triage.left()}
    return tuple(
        Concern(finding, left[finding].reason if finding in left else None)
        for finding in triage.shown
    )


def _is_on(finding: Finding, program: Program, path: str, line: int) -> bool:
    if finding.path != path:
        return False
    source = program.sources[path]
    first, last = (source.position(at)[0] for at in (finding.span.start, finding.span.end))
    return first <= line <= last


def _by_group(
    beliefs: Sequence[Belief], concerns: Sequence[Concern], program: Program
) -> dict[str, tuple[Concern, ...]]:
    """The findings of each decision that moves something of ``beliefs``."""
    found: dict[str, tuple[Concern, ...]] = {}
    for belief in beliefs:
        if belief.group and belief.group not in found:
            # in another context the same places may belong to a decision of another name
            members = _members(concerns, _names(belief.group, program))
            found[belief.group] = members or _members(concerns, _groups_at(belief, concerns))
    return {name: members for name, members in found.items() if members}


def _names(group: str, program: Program) -> set[str]:
    """What a decision is called in its findings: the name of the program may stand before it."""
    return {group, f"{next(iter(program.sources))}:{group}"}


def _members(concerns: Sequence[Concern], groups: Collection[str]) -> tuple[Concern, ...]:
    return tuple(c for c in concerns if c.finding.fix and c.finding.fix.group in groups)


def _groups_at(belief: Belief, concerns: Sequence[Concern]) -> set[str]:
    """The decisions that change a line on the way of a value."""
    spots = (*belief.moves, *(spot for way in belief.ways for spot in way))
    lines = {(spot.path, spot.cell, spot.line) for spot in spots}
    every = (c.finding for c in concerns)
    findings = (f for f in every if (f.path, f.cell, f.line) in lines)
    return {finding.fix.group for finding in findings if finding.fix and finding.fix.shared}
