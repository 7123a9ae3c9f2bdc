"""`check` and `apply`: program by program, so that a bad one never stops the rest."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from devicefix.engine.commit import commit
from devicefix.engine.discovery import discover
from devicefix.engine.projects import Plan, plans
from devicefix.engine.reading import Scan, load, scan
from devicefix.engine.report import FileError, FileFailedError, FileResult, Outcome, Report
from devicefix.settings import Settings
from devicefix.source import Program, Source, SourceError

if TYPE_CHECKING:
    from devicefix.codemod import Codemod
    from devicefix.engine.analysis import Analyse
    from devicefix.engine.workbench import Workbench

Progress = Callable[[Sequence[Path]], Iterable[Path]]
"""Passes the files through, and may show how far the work is."""

_Work = Callable[["Workbench", Program], Outcome]


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
) -> Report:
    """Find, and change nothing; uses the installed codemods unless ``codemods`` are given.

    Raises `UnknownRuleError` and `RegistryError`.
    """
    tools = _Tools(settings, codemods, analyse)
    return _run(paths, tools, progress, lambda bench, program: bench.survey(program))


def apply(
    paths: Sequence[Path],
    settings: Settings,
    dry_run: bool = False,
    progress: Progress = no_progress,
    *,
    codemods: Sequence[type[Codemod]] | None = None,
    analyse: Analyse | None = None,
) -> Report:
    """Fix what may be fixed and write it, unless ``dry_run``; `undo` takes it back.

    Nothing is written before all files are analysed. Raises `UnknownRuleError`, `RegistryError`,
    `JournalError` (nothing was written then).
    """
    tools = _Tools(settings, codemods, analyse)
    if dry_run:
        return _run(paths, tools, progress, lambda bench, program: bench.rehearse(program))
    return commit(_run(paths, tools, progress, lambda bench, program: bench.mend(program)))


class _Tools:
    """Opens the workbench when it is first needed: a folder without torch loads no codemod."""

    def __init__(
        self,
        settings: Settings,
        codemods: Sequence[type[Codemod]] | None,
        analyse: Analyse | None,
    ) -> None:
        self.settings = settings
        self._given = codemods, analyse
        self._bench: Workbench | None = None
        if settings.select or settings.ignore:
            self.bench()  # a selector that names no rule is an error with nothing to check, too

    def bench(self) -> Workbench:
        if self._bench is None:
            from devicefix.engine.workbench import open_workbench

            self._bench = open_workbench(self.settings, *self._given)
        return self._bench


def _run(paths: Sequence[Path], tools: _Tools, progress: Progress, work: _Work) -> Report:
    started = time.perf_counter()
    discovery = discover(paths, tools.settings.exclude)
    scans, errors = _scanned(discovery.files)
    errors += discovery.errors
    results: list[FileResult] = []
    programs = {plan.paths[0]: plan for plan in plans(paths, scans, tools.settings.exclude)}
    for path in progress(_in_order(discovery.files, programs.values())):
        plan = programs.get(str(path))
        if plan is not None:
            outcome = _one_program(plan, tools.bench(), work)
            results += outcome.results
            errors += outcome.errors
    return Report(
        files=tuple(sorted(filter(_is_worth_showing, results), key=lambda result: result.path)),
        errors=tuple(sorted(errors, key=lambda error: (error.path, error.line or 0))),
        checked=len(discovery.files),
        seconds=time.perf_counter() - started,
    )


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


def _one_program(plan: Plan, bench: Workbench, work: _Work) -> Outcome:
    sources, errors = loaded(plan)
    try:
        outcome = work(bench, plan.program(sources))
    except Exception as error:  # a bug of ours must not stop the other programs either
        outcome = _one_by_one(plan, sources, bench, work, error)
    return Outcome(outcome.results, (*errors, *outcome.errors))


def loaded(plan: Plan) -> tuple[list[Source], list[FileError]]:
    """The files of a program, and which of them cannot be read."""
    sources, errors = [], []
    for path in plan.paths:
        try:
            sources.append(load(Path(path)))
        except (FileFailedError, SourceError, RecursionError, MemoryError) as error:
            if path in plan.about_torch:  # the others are none of our business
                errors.append(complaint(path, error))
    return sources, errors


def _one_by_one(
    plan: Plan, sources: Sequence[Source], bench: Workbench, work: _Work, error: Exception
) -> Outcome:
    """What can be said of the files of a program that cannot be analysed as a whole."""
    whole = complaint(sources[0].path, error)
    if len(sources) == 1:
        return Outcome((), (whole,))
    together = "cannot be analysed together with the files around it; each was analysed alone"
    reason = f"{together}: {whole.reason}"
    results: list[FileResult] = []
    errors = [replace(whole, reason=reason)]
    for source in sources:
        try:
            outcome = work(bench, plan.program([source]))
        except Exception as again:
            errors.append(complaint(source.path, again))
        else:
            results += outcome.results
            errors += outcome.errors
    return Outcome(tuple(results), tuple(errors))


def complaint(path: str, error: Exception) -> FileError:
    """What a user is told about an exception; one that nobody expected is a bug of ours."""
    if isinstance(error, FileFailedError):
        return error.error
    if isinstance(error, SourceError):
        return FileError(path, error.line, error.reason)
    if isinstance(error, RecursionError):
        return FileError(path, None, "nested too deeply to be analysed")
    if isinstance(error, MemoryError):
        return FileError(path, None, "too large to be analysed in memory")
    frame = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error} ({frame.filename}:{frame.lineno})"
    return FileError(path, None, f"internal error, please report it: {what}")
