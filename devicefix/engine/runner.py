"""`check` and `apply`: program by program, so that a bad one never stops the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from devicefix.engine.commit import commit
from devicefix.engine.discovery import discover
from devicefix.engine.interpreter import at_work
from devicefix.engine.projects import Plan, plans
from devicefix.engine.reading import Scan, scan
from devicefix.engine.report import FileError, FileFailedError, FileResult, Outcome, Report
from devicefix.engine.work import Work, one_program
from devicefix.settings import Settings

if TYPE_CHECKING:
    from devicefix.codemod import Codemod
    from devicefix.engine.analysis import Analyse
    from devicefix.engine.workbench import Workbench

Progress = Callable[[Sequence[Path]], Iterable[Path]]
"""Passes the files through, and may show how far the work is."""


def no_progress(files: Sequence[Path]) -> Iterable[Path]:
    """Show nothing."""
    return files


def check(
    paths: Sequence[Path],
    settings: Settings,
    progress: Progress = no_progress,
    *,
    codemods: Sequence[type[Codemod]] | None = None,
    analyse: Analyse | None = None,
    jobs: int = 1,
) -> Report:
    """Find, and change nothing; uses the installed codemods unless ``codemods`` are given.

    ``jobs`` is the most processes that may share the work, 0 as many as there are processors. Where
    processes start with a new interpreter, the program that calls this has to allow for that
    (docs.python.org/3/library/multiprocessing.html, "Safe importing of main module").

    Raises `UnknownRuleError` and `RegistryError`.
    """
    return _run(paths, _Tools(settings, codemods, analyse, jobs), progress, Work.SURVEY)


def apply(
    paths: Sequence[Path],
    settings: Settings,
    dry_run: bool = False,
    progress: Progress = no_progress,
    *,
    codemods: Sequence[type[Codemod]] | None = None,
    analyse: Analyse | None = None,
    jobs: int = 1,
) -> Report:
    """Fix what may be fixed and write it, unless ``dry_run``; `undo` takes it back.

    Nothing is written before all files are analysed. ``jobs`` as for `check`.

    Raises `UnknownRuleError`, `RegistryError`, `JournalError` (nothing was written then).
    """
    tools = _Tools(settings, codemods, analyse, jobs)
    if dry_run:
        return _run(paths, tools, progress, Work.REHEARSE)
    return commit(_run(paths, tools, progress, Work.MEND))


class _Tools:
    """Opens the workbench when it is first needed: a folder without torch loads no codemod."""

    def __init__(
        self,
        settings: Settings,
        codemods: Sequence[type[Codemod]] | None,
        analyse: Analyse | None,
        jobs: int,
    ) -> None:
        self.settings = settings
        self.jobs = jobs if (codemods, analyse) == (None, None) else 1
        self._given = codemods, analyse
        self._bench: Workbench | None = None
        if settings.select or settings.ignore:
            self.bench()  # a selector that names no rule is an error with nothing to check, too

    def bench(self) -> Workbench:
        if self._bench is None:
            from devicefix.engine.workbench import open_workbench

            self._bench = open_workbench(self.settings, *self._given)
        return self._bench


def _run(paths: Sequence[Path], tools: _Tools, progress: Progress, work: Work) -> Report:
    with at_work():
        return _worked(paths, tools, progress, work)


def _worked(paths: Sequence[Path], tools: _Tools, progress: Progress, work: Work) -> Report:
    started = time.perf_counter()
    discovery = discover(paths, tools.settings.exclude)
    scans, errors = _scanned(discovery.files)
    errors += discovery.errors
    results: list[FileResult] = []
    programs = list(plans(paths, scans, tools.settings.exclude))
    first, outcomes = {plan.paths[0] for plan in programs}, _outcomes(programs, tools, work)
    for path in progress(_in_order(discovery.files, programs)):
        if str(path) in first:
            outcome = next(outcomes)
            results += outcome.results
            errors += outcome.errors
    return Report(
        files=tuple(sorted(filter(_is_worth_showing, results), key=lambda result: result.path)),
        errors=tuple(sorted(errors, key=lambda error: (error.path, error.line or 0))),
        checked=len(discovery.files),
        seconds=time.perf_counter() - started,
    )


def _outcomes(programs: Sequence[Plan], tools: _Tools, work: Work) -> Iterator[Outcome]:
    """What becomes of each program, in their order, as it is asked for."""
    if tools.jobs != 1 and len(programs) > 1:
        from devicefix.engine import processes

        count = processes.how_many(programs, tools.jobs)
        if count > 1:
            tools.bench()  # what is wrong with the rules is said here, and once
            return processes.outcomes(programs, tools.settings, work, count)
    return (one_program(plan, tools.bench(), work) for plan in programs)


def _scanned(files: Iterable[Path]) -> tuple[list[Scan], list[FileError]]:
    scans, errors = [], []
    for path in files:
        try:
            scans.append(scan(path))
        except FileFailedError as failure:
            errors.append(failure.error)
    return scans, errors


def _in_order(files: Sequence[Path], plans: Iterable[Plan]) -> list[Path]:
    """``files``, those of each program one after the other."""
    place = {path: at for at, path in enumerate(p for plan in plans for p in plan.paths)}
    return sorted(files, key=lambda path: place.get(str(path), -1))


def _is_worth_showing(result: FileResult) -> bool:
    return bool(result.findings) or result.change is not None
