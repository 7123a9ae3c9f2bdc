"""Programs as an editor sees them: files are listed and scanned once, what changed is looked at.

All of this runs in one thread, one question after the other.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from devicefix.engine import Asked, Explained, FileError
from devicefix.engine.adoption import affair
from devicefix.engine.discovery import DEFAULT_EXCLUDES, discover
from devicefix.engine.dividing import Divisions
from devicefix.engine.explaining import Explaining
from devicefix.engine.looking import Look, look, mended
from devicefix.engine.overlay import Overlay
from devicefix.engine.projects import Plan, plans
from devicefix.engine.reading import Scan, scan
from devicefix.engine.report import FileFailedError, Outcome
from devicefix.lsp.options import Options
from devicefix.settings import Settings

if TYPE_CHECKING:
    from devicefix.engine.workbench import Workbench
    from devicefix.source import Source

_FRESH: Final = 2.0
"""Seconds for which a list of files counts where nobody says that it changed."""
_PATIENCE: Final = 20
"""How many times as long it counts as it took to make."""
_LIBRARIES: Final = frozenset((*DEFAULT_EXCLUDES, "dist-packages"))
_MOST_LOOKS: Final = 8

_Stamp = tuple[object, ...]
"""What changes when a file does."""


@dataclass(frozen=True)
class Snapshot:
    """What an editor has at one moment."""

    texts: Mapping[Path, bytes] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    """Those that it has open."""
    options: Options = field(default_factory=Options)


@dataclass(frozen=True)
class Seen:
    """A look at the program of a file."""

    path: str
    """What the file is called in it."""
    look: Look
    plan: Plan | None = None
    """None where nothing is to be looked at."""

    @property
    def source(self) -> Source | None:
        """The file as it was read."""
        return self.look.sources.get(self.path)


@dataclass(frozen=True)
class _Kept:
    """A look, and what it depends on."""

    stamps: Mapping[str, _Stamp]
    look: Look
    plan: Plan
    explaining: list[Explaining] = field(default_factory=list)
    """The same program with all that is believed; made when that is asked for."""


class Projects:
    """Looks at programs, and keeps what is still true."""

    def __init__(self) -> None:
        self._projects: dict[tuple[Path, tuple[str, ...]], _Project] = {}
        self._benches: dict[Settings, Workbench] = {}
        self._looks: dict[tuple[Settings, tuple[str, ...]], _Kept] = {}

    def forget(self) -> None:
        """Files came or went, or were changed by somebody else."""
        for project in self._projects.values():
            project.forget()

    def look(self, file: Path, now: Snapshot) -> Seen:
        """What is found in the program of a file.

        Raises `SettingsError`, `UnknownRuleError` and `RegistryError`.
        """
        planned = self._planned(file, now)
        if not isinstance(planned, tuple):
            return planned
        plan, settings, path = planned
        return Seen(path, self._looked(plan, settings).look, plan)

    def _looked(self, plan: Plan, settings: Settings) -> _Kept:
        """A look that is still true, or a new one."""
        stamps = _Stamps(plan.overlay)
        key = settings, plan.paths
        kept = self._looks.pop(key, None)
        if kept is None or any(stamps.of(p) != stamp for p, stamp in kept.stamps.items()):
            files = filter(None, (*plan.paths, settings.baseline))
            marks = {path: stamps.of(path) for path in files}
            noting = replace(plan, neighbour=stamps.noting(plan))
            found = look(noting, self._scoped(plan, settings))
            kept = _Kept({**marks, **stamps.seen}, found, plan)
        self._looks[key] = kept
        for old in list(self._looks)[:-_MOST_LOOKS]:
            del self._looks[old]
        return kept

    def explain(self, file: Path, place: Asked, now: Snapshot) -> Explained | None:
        """What is believed of a line; None where there is nothing to be said.

        Raises what `look` raises, and `PlaceError`.
        """
        found = self._planned(file, now)
        if not isinstance(found, tuple):
            return None
        plan, settings, path = found
        kept = self._looked(plan, settings)
        if not kept.explaining:
            for other in self._looks.values():
                other.explaining.clear()  # one of them takes as much memory as all looks
            kept.explaining.append(Explaining(kept.plan, self._bench(settings)))
        return kept.explaining[0].explain(Path(path), place)

    def mended(self, file: Path, now: Snapshot) -> tuple[Plan, Outcome] | None:
        """What all safe fixes of a file make of its program. Raises what `look` raises."""
        found = self._planned(file, now)
        if not isinstance(found, tuple):
            return None
        plan, settings, path = found
        return plan, mended(plan, self._scoped(plan, settings), path)

    def _planned(self, file: Path, now: Snapshot) -> tuple[Plan, Settings, str] | Seen:
        """The program of a file; what there is to say of the file where it has none."""
        if _is_of_library(file, now.folders):
            return Seen(str(file), Look())
        root = root_of(file, now.folders)
        settings = now.options.settings(root or file.parent)
        overlay = Overlay.of(now.texts)
        start = root or file
        project = self._projects.setdefault((start, settings.exclude), _Project(start))
        try:
            plan = project.plan(file, overlay, settings)
        except FileFailedError as failure:
            return Seen(str(file), Look(errors=(failure.error,)))
        if plan is None:
            return Seen(str(file), Look())
        real = os.path.realpath(file)
        path = next(path for path in plan.paths if os.path.realpath(path) == real)
        return plan, settings, path

    def _scoped(self, plan: Plan, settings: Settings) -> Workbench:
        """The workbench for a program, without what is in the baseline."""
        bench = self._bench(settings)
        scope = affair((), (plan,), settings.baseline, "", plan.overlay).scope
        return replace(bench, policy=replace(bench.policy, scope=scope))

    def _bench(self, settings: Settings) -> Workbench:
        from devicefix.engine.workbench import open_workbench

        if settings not in self._benches:
            self._benches = {settings: open_workbench(settings, None, None)}
        return self._benches[settings]


def root_of(file: Path, folders: Iterable[Path]) -> Path | None:
    """The folder whose files are looked at together with ``file``.

    It is the innermost open folder around it, or a repository inside of that. None where the file
    stands for itself: it lies in no open folder, or that is the user's home.
    """
    around = [folder for folder in folders if folder in file.parents]
    if not around:
        return None
    outer = max(around, key=lambda folder: len(folder.parts))
    inside = [p for p in file.parents if p == outer or outer in p.parents]
    root = next((p for p in inside if (p / ".git").exists()), outer)
    home = Path.home()
    return None if root == home or root in home.parents else root


def _is_of_library(file: Path, folders: Iterable[Path]) -> bool:
    """Whether a file that is opened to be read lies in no open folder, but in a library."""
    if any(folder in file.parents for folder in folders):
        return False
    return not _LIBRARIES.isdisjoint(file.parts)


class _Stamps:
    """What the files were that a look depends on."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay
        self.seen: dict[str, _Stamp] = {}

    def of(self, path: str) -> _Stamp:
        """What changes when the file does."""
        return stamp(Path(path), self._overlay)

    def noting(self, plan: Plan) -> _Noting:
        """The neighbours of a program; which of them are asked for is noted."""
        return _Noting(plan, self)


@dataclass(frozen=True)
class _Noting:
    plan: Plan
    stamps: _Stamps

    def __call__(self, path: str) -> Source | None:
        self.stamps.seen[path] = self.stamps.of(path)
        return self.plan.neighbour(path)


def stamp(path: Path, overlay: Overlay) -> _Stamp:
    """What changes when a file does, or the text that is held in its place."""
    held = overlay.text(path)
    if held is not None:
        return (held,)
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino


class _Project:
    """The files below one folder, or one file."""

    def __init__(self, start: Path) -> None:
        self._start = start
        self._real: dict[Path, str] = {}
        """The files, and their real paths."""
        self._until = 0.0
        self._held: frozenset[Path] = frozenset()
        self._scans: dict[Path, tuple[_Stamp, Scan | FileError]] = {}
        self._divisions = Divisions()
        self._plans: dict[str, Plan] | None = None
        """By the real path of each file; None where programs may be others now."""
        self._helped = False
        """Whether these know a helper of the project."""

    def forget(self) -> None:
        """List the files again, and read those that are others now."""
        self._until = 0.0

    def plan(self, file: Path, overlay: Overlay, settings: Settings) -> Plan | None:
        """The program of ``file``; None where it has nothing to do with torch, or is excluded.

        Raises `FileFailedError` where the file cannot be read.
        """
        real = os.path.realpath(file)
        self._scan(overlay, settings.exclude)
        scans: list[Scan] = []
        for path, (_, found) in self._scans.items():
            if isinstance(found, Scan):
                scans.append(found)
            elif self._real.get(path, str(path)) == real:
                raise FileFailedError(found.path, found.line, found.reason)
        helped = settings.takes_helpers
        if self._plans is None or helped is not self._helped:
            around = scans, settings.exclude, overlay, self._divisions
            new = plans((self._start,), *around, helped=helped)
            self._plans = {os.path.realpath(path): plan for plan in new for path in plan.paths}
            self._helped = helped
            known = {scan.path: scan for scan in scans}
            self._divisions = Divisions(self._divisions.made, known)
        plan = self._plans.get(real)
        return plan.holding(overlay) if plan is not None else None

    def _scan(self, overlay: Overlay, exclude: Sequence[str]) -> None:
        """Read what has changed: all that may have, or what an editor holds or has held."""
        if time.monotonic() >= self._until:
            self._list(exclude)
            changed = list(self._real)
        else:
            changed = [p for p, real in self._real.items() if real in overlay.texts]
            changed += self._held.difference(changed)
        new = self._new(overlay)
        self._held = frozenset(p for p, real in self._real.items() if real in overlay.texts)
        for gone in self._scans.keys() - self._real.keys() - set(new):
            del self._scans[gone]
            self._plans = None
        for path in (*changed, *new):
            self._scan_one(path, overlay)

    def _scan_one(self, path: Path, overlay: Overlay) -> None:
        mark = stamp(path, overlay)
        before, old = self._scans.get(path, ((None,), None))
        if before == mark:
            return
        self._scans[path] = mark, _scan(path, overlay)
        # what an editor holds is read anew by each look; of what lies on the disk a parsed tree
        # may be kept
        typed = overlay.text(path) is not None and len(before) == len(mark)
        if not typed or _shape(old) != _shape(self._scans[path][1]):
            self._plans = None

    def _list(self, exclude: Sequence[str]) -> None:
        began = time.monotonic()
        found = discover([self._start], exclude).files
        if self._real.keys() != set(found) or self._start in found:
            self._plans = None  # what lies around a single file may be another file now
        self._real = {path: os.path.realpath(path) for path in found}
        ended = time.monotonic()
        self._until = ended + max(_FRESH, _PATIENCE * (ended - began))

    def _new(self, overlay: Overlay) -> list[Path]:
        """Documents of the folder that were never saved."""
        paths = map(Path, overlay.texts)
        start = Path(os.path.realpath(self._start))
        inside = (path for path in paths if path == start or start in path.parents)
        return [path for path in inside if not path.exists()]


def _shape(found: Scan | FileError | None) -> object:
    """What of a file decides which program it belongs to."""
    if not isinstance(found, Scan):
        return found
    return found.mentions_torch, found.statements, found.looks_old, bool(found.size)


def _scan(path: Path, overlay: Overlay) -> Scan | FileError:
    try:
        return scan(path, overlay)
    except FileFailedError as failure:
        return failure.error
