"""What `devicefix apply` makes of one program of the corpus, as plain data that can be kept."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate_checks import faults, parses
from msgspec.structs import replace

from devicefix.engine import Change, FileError, FileResult
from devicefix.engine.discovery import discover
from devicefix.engine.interpreter import at_work
from devicefix.engine.overlay import NOTHING
from devicefix.engine.projects import Plan, plans
from devicefix.engine.reading import scan
from devicefix.engine.work import Work, one_program
from devicefix.settings import Settings

if TYPE_CHECKING:
    from devicefix.engine.report import Outcome
    from devicefix.engine.workbench import Workbench
    from devicefix.findings import Finding
    from devicefix.source import Source

_DROPPED = ("its fix was dropped", "does not settle", "do not settle")
"""What the reasons say of fixes that were found to be unfit before anything was written."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The outcome of one program."""

    name: str
    """Its first file."""
    paths: tuple[str, ...]
    asked: tuple[str, ...]
    """The files of other programs that it read."""
    seconds: float
    """Of the processor."""
    findings: tuple[str, ...]
    """A line of text for each."""
    groups: int
    edits: int
    changes: tuple[Mapping[str, Any], ...]
    crashes: tuple[str, ...]
    unparsed: tuple[str, ...]
    undefined: tuple[str, ...]
    outside: tuple[str, ...]
    dropped: tuple[str, ...]
    refused: tuple[str, ...]
    """Files that are not worked on, as Python does not parse them either."""

    @classmethod
    def read(cls, line: str) -> Kept:
        """One that was written as `line`; raises `ValueError` for half a line."""
        content = json.loads(line)
        return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in content.items()})

    @property
    def line(self) -> str:
        """JSON."""
        return json.dumps(asdict(self))

    @property
    def changed(self) -> frozenset[str]:
        """The files that the fixes rewrite."""
        return frozenset(str(change["path"]) for change in self.changes)

    def results(self) -> Iterator[FileResult]:
        """The files to be written, as the engine wants them."""
        for change in self.changes:
            before, after = (base64.b64decode(change[key]) for key in ("before", "after"))
            codes, partners = frozenset(change["codes"]), frozenset(change["partners"])
            made = Change(before, after, change["encoding"], codes, partners)
            yield FileResult(str(change["path"]), (), (), (), made)


def programs() -> tuple[int, list[Plan]]:
    """How many files are in the current folder, and the programs that they make."""
    here, exclude = [Path()], Settings().exclude
    found = discover(here, exclude, NOTHING)
    scans = [scan(path, NOTHING) for path in found.files]
    return len(scans), list(plans(here, scans, exclude))


# -- one program -----------------------------------------------------------------------------------


class _Asked:
    """Passes neighbours on, and notes which."""

    def __init__(self, neighbour: Callable[[str], Source | None]) -> None:
        self._neighbour = neighbour
        self.paths: set[str] = set()

    def __call__(self, path: str) -> Source | None:
        self.paths.add(path)
        return self._neighbour(path)


def applied(plan: Plan, bench: Workbench) -> Kept:
    """Fix one program in memory and look at it from all sides."""
    asked = _Asked(plan.neighbour)
    started = time.process_time()
    with at_work():
        outcome = one_program(replace(plan, neighbour=asked), bench, Work.MEND)
    seconds = time.process_time() - started
    wrong = faults(outcome)
    crashes, dropped, refused = _sorted(outcome.errors)
    return Kept(
        name=plan.paths[0],
        paths=plan.paths,
        asked=tuple(sorted(asked.paths)),
        seconds=round(seconds, 3),
        findings=tuple(_line(f) for result in outcome.results for f in result.findings),
        groups=len(outcome.groups),
        edits=sum(len(pieces) for g in outcome.groups for pieces in g.pieces.values()),
        changes=tuple(_changes(outcome)),
        crashes=tuple(crashes),
        unparsed=wrong.unparsed,
        undefined=wrong.undefined,
        outside=wrong.outside,
        dropped=tuple(dropped),
        refused=tuple(refused),
    )


def _line(finding: Finding) -> str:
    sure = finding.fix.applicability.name if finding.fix is not None else "NO FIX"
    return f"{finding.code} {finding.where}: {finding.message} [{sure}] {finding.advice}"


def _changes(outcome: Outcome) -> Iterator[dict[str, Any]]:
    for result in outcome.results:
        if result.change is not None:
            change = result.change
            yield {
                "path": result.path,
                "before": base64.b64encode(change.before).decode("ascii"),
                "after": base64.b64encode(change.after).decode("ascii"),
                "encoding": change.encoding,
                "codes": sorted(change.codes),
                "partners": sorted(change.partners),
            }


def _sorted(errors: Iterable[FileError]) -> tuple[list[str], list[str], list[str]]:
    """Crashes, fixes that were dropped, and files that nobody could read."""
    crashes, dropped, refused = [], [], []
    for error in errors:
        if any(words in error.reason for words in _DROPPED):
            dropped.append(str(error))
        elif parses(Path(error.path).read_bytes()):
            crashes.append(str(error))
        else:
            refused.append(str(error))
    return crashes, dropped, refused


# -- many ------------------------------------------------------------------------------------------


def each(chosen: Sequence[Plan], settings: Settings, jobs: int) -> Iterator[Kept]:
    """All of them, as they are ready."""
    if jobs == 1:
        bench = _bench(settings)
        yield from (applied(plan, bench) for plan in chosen)
        return
    _WorkerState.plans, _WorkerState.bench = (
        chosen,
        _bench(settings),
    )  # for forks
    with ProcessPoolExecutor(jobs) as pool:
        begun = [pool.submit(_one, at) for at in range(len(chosen))]
        yield from (future.result() for future in as_completed(begun))


class _WorkerState:
    plans: Sequence[Plan]
    bench: Workbench


def _one(at: int) -> Kept:
    return applied(_WorkerState.plans[at], _WorkerState.bench)


def _bench(settings: Settings) -> Workbench:
    from devicefix.engine.workbench import open_workbench

    return open_workbench(settings, None, None)
